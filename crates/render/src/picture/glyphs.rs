//! A built-in stroke font, so that PNG pictures look the same on every machine and need no font
//! files. A point is two digits: x from 0, and y from 0 (descender) over 2 (baseline) and 7
//! (x-height) to 9 (cap height).

/// A character and its strokes.
const GLYPHS: &[(char, &str)] = &[
    ('0', "12 03 08 19 39 48 43 32 12"),
    ('1', "07 29 22"),
    ('2', "08 19 39 48 46 02 42"),
    ('3', "08 19 39 48 47 36 16;36 45 43 32 12 03"),
    ('4', "32 39 04 44"),
    ('5', "49 09 06 36 45 43 32 12 03"),
    ('6', "39 19 08 03 12 32 43 45 36 16 05"),
    ('7', "09 49 12"),
    ('8', "16 07 08 19 39 48 47 36 16 05 03 12 32 43 45 36"),
    ('9', "12 32 43 48 39 19 08 06 15 35 46"),
    ('A', "02 29 42;14 34"),
    ('B', "02 09 29 38 37 26 06;26 35 33 22 02"),
    ('C', "48 39 19 08 03 12 32 43"),
    ('D', "02 09 29 47 44 22 02"),
    ('E', "42 02 09 49;06 36"),
    ('F', "02 09 49;06 36"),
    ('G', "48 39 19 08 03 12 32 43 45 25"),
    ('H', "02 09;42 49;06 46"),
    ('I', "02 09"),
    ('J', "39 33 22 12 03"),
    ('K', "02 09;49 05;16 42"),
    ('L', "09 02 42"),
    ('M', "02 09 35 69 62"),
    ('N', "02 09 42 49"),
    ('O', "12 03 08 19 39 48 43 32 12"),
    ('P', "02 09 39 48 46 35 05"),
    ('Q', "12 03 08 19 39 48 43 32 12;24 51"),
    ('R', "02 09 39 48 46 35 05;25 42"),
    ('S', "48 39 19 08 07 16 36 45 43 32 12 03"),
    ('T', "09 49;29 22"),
    ('U', "09 03 12 32 43 49"),
    ('V', "09 22 49"),
    ('W', "09 12 38 52 69"),
    ('X', "02 49;09 42"),
    ('Y', "09 26 49;26 22"),
    ('Z', "09 49 02 42"),
    ('a', "06 17 27 36 32;35 15 04 03 12 22 33"),
    ('b', "09 02;05 17 27 36 33 22 12 04"),
    ('c', "36 27 17 06 03 12 22 33"),
    ('d', "39 32;35 27 17 06 03 12 22 34"),
    ('e', "04 34 36 27 17 06 03 12 22 33"),
    ('f', "29 19 18 12;07 27"),
    ('g', "37 31 20 10 01;35 27 17 06 03 12 22 34"),
    ('h', "09 02;05 17 27 36 32"),
    ('i', "07 02;09 09"),
    ('j', "17 11 00;19 19"),
    ('k', "09 02;37 04;15 32"),
    ('l', "09 03 12"),
    ('m', "07 02;05 17 27 36 32;35 47 57 66 62"),
    ('n', "07 02;05 17 27 36 32"),
    ('o', "12 03 06 17 27 36 33 22 12"),
    ('p', "07 00;05 17 27 36 33 22 12 04"),
    ('q', "37 30;35 27 17 06 03 12 22 34"),
    ('r', "07 02;05 17 27"),
    ('s', "36 27 17 06 15 25 34 33 22 12 03"),
    ('t', "19 13 22;07 27"),
    ('u', "07 03 12 22 34;37 32"),
    ('µ', "00 07;03 12 22 34;37 32"),
    ('v', "07 22 47"),
    ('w', "07 12 36 52 67"),
    ('x', "02 37;07 32"),
    ('y', "07 22;47 22 10 00"),
    ('z', "07 37 02 32"),
    ('.', "02 02"),
    (',', "12 02 10"),
    (':', "02 02;06 06"),
    (';', "12 12;16 16;12 00"),
    ('-', "05 25"),
    ('–', "05 45"),
    ('−', "05 35"),
    ('+', "05 45;27 23"),
    ('=', "06 46;04 44"),
    ('/', "01 39"),
    ('\\', "09 31"),
    ('|', "00 09"),
    ('_', "01 41"),
    ('(', "19 07 04 11"),
    (')', "09 17 14 01"),
    ('[', "19 09 01 11"),
    (']', "09 19 11 01"),
    ('{', "29 18 16 05 14 12 21"),
    ('}', "09 18 16 25 14 12 01"),
    ('<', "37 05 33"),
    ('>', "07 35 03"),
    ('%', "02 59;08 19 28 17 08;43 52 43 34 43"),
    ('@', "46 35 25 24 34 44 56 47 38 18 06 04 12 42"),
    ('#', "12 29;42 59;07 67;04 64"),
    ('*', "25 29;08 46;48 06"),
    ('&', "52 07 08 19 28 27 04 03 12 32 55"),
    ('!', "09 04;02 02"),
    ('?', "08 19 29 38 37 15 14;12 12"),
    ('\'', "09 07"),
    ('`', "09 18"),
    ('"', "09 07;29 27"),
    ('×', "03 36;06 33"),
    ('→', "05 55;37 55 33"),
    ('·', "05 05"),
    ('…', "02 02;22 22;42 42"),
    ('≤', "38 06 34;03 33"),
    ('⌈', "29 09 02"),
    ('⌉', "09 29 22"),
    ('Σ', "49 09 25 02 42"),
    ('²', "08 19 28 06 26"),
    ('τ', "07 37;17 13 22"),
];

/// Accents, the characters with that accent, and their base characters. Capitals have no room for
/// accents and are drawn without.
const ACCENTS: &[(&str, &str, &str)] = &[
    ("08 08;28 28", "äëïöüÿ", "aeiouy"),
    ("08 29", "áéíóúýćńśźŕľ", "aeiouycnszrl"),
    ("09 28", "àèìòù", "aeiou"),
    ("08 19 28", "âêîôû", "aeiou"),
    ("09 18 29", "čďěňřšťž", "cdenrstz"),
    ("08 19 28 39", "ãñõ", "ano"),
    ("18 09 19 28 18", "åů", "au"),
    ("20 11 22", "çşţ", "cst"),
    ("", "ÄÖÜÁÉÍÓÚÝÀÈÂÊÎÔÛČĎĚŇŘŠŤŽÃÑÕÅŮÇĆŃŚŹ", "AOUAEIOUYAEAEIOUCDENRSTZANOAUCCNSZ"),
];

/// The strokes of a character: its own, or those of its base character and its accent.
fn glyph(letter: char) -> Option<String> {
    let own = |letter: char| GLYPHS.iter().find(|(known, _)| *known == letter).map(|(_, g)| *g);
    if let Some(own) = own(letter) {
        return Some(own.to_owned());
    }
    let (accent, plain) = ACCENTS.iter().find_map(|(accent, letters, plain)| {
        let at = letters.chars().position(|known| known == letter)?;
        Some((*accent, plain.chars().nth(at)?))
    })?;
    let below = own(plain)?;
    Some(if accent.is_empty() { below.to_owned() } else { format!("{below};{accent}") })
}

/// The strokes for an unknown character.
const UNKNOWN: &str = "02 09 39 32 02";

/// Units of the grid per unit of font size.
const UNITS: f64 = 9.9;

/// A stroke: points as fractions of the font size, y downwards from the baseline.
pub type Stroke = Vec<(f64, f64)>;

/// The strokes of a text of font size 1 that starts at 0, and its width.
pub fn strokes(text: &str) -> (Vec<Stroke>, f64) {
    let mut strokes = Vec::new();
    let mut x = 0.0;
    for letter in text.chars() {
        if letter == ' ' {
            x += 3.0;
            continue;
        }
        let glyph = glyph(letter).unwrap_or_else(|| UNKNOWN.to_owned());
        let digit = |byte: u8| f64::from(byte - b'0');
        let mut widest = 0.0f64;
        for stroke in glyph.split(';') {
            let point = |word: &str| {
                let bytes = word.as_bytes();
                (digit(bytes[0]), digit(bytes[1]))
            };
            let points: Vec<(f64, f64)> = stroke.split(' ').map(point).collect();
            widest = points.iter().map(|point| point.0).fold(widest, f64::max);
            strokes
                .push(points.iter().map(|(a, b)| ((x + a) / UNITS, (2.0 - b) / UNITS)).collect());
        }
        x += widest + 1.7;
    }
    (strokes, (x - 1.7).max(0.0) / UNITS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_printable_letter_has_strokes_of_its_own() {
        for letter in (33u8..127).map(char::from).filter(|c| !"$^`~".contains(*c)) {
            assert!(GLYPHS.iter().any(|(known, _)| *known == letter), "{letter}");
        }
        for (accent, letters, plain) in ACCENTS {
            assert_eq!(letters.chars().count(), plain.chars().count(), "{letters}");
            let is_known = |letter: char| glyph(letter).is_some_and(|own| own.ends_with(accent));
            assert!(letters.chars().all(is_known), "{letters}");
        }
        for (letter, glyph) in GLYPHS {
            let is_point = |word: &str| word.len() == 2 && word.bytes().all(|b| b.is_ascii_digit());
            assert!(glyph.split([' ', ';']).all(is_point), "{letter}");
        }
    }

    #[test]
    fn text_fits_its_estimated_width() {
        for text in ["hypercube:5 aas", "bound 16 steps", "0123456789", "r10 → r11"] {
            assert!(strokes(text).1 <= crate::picture::scene::text_width(text, 1.0), "{text}");
        }
    }
}
