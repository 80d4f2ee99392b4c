//! The networks that can be asked for by name: one file and one line of [`FAMILIES`] per family.
//! A specification reads `name:parameters`, and `@K` at its end puts K processors where there
//! was one.

mod coated_mesh;
mod complete;
mod grid;
mod hypercube;
mod hyperx;
mod kautz;
mod mesh;
mod names;
mod octagon;
mod parameters;
mod path;
mod petersen;
mod random_regular;
mod ring;
mod star;
mod torus;

use crate::network::{Network, NetworkError};
use parameters::Parameters;

/// A family of networks and how to ask for one of them.
#[derive(Debug)]
pub struct Family {
    /// Its name.
    pub name: &'static str,
    /// Other names for it.
    pub aliases: &'static [&'static str],
    /// How it is written, with the names of its parameters.
    pub usage: &'static str,
    /// A specification that works.
    pub example: &'static str,
    /// What it is, in one line.
    pub description: &'static str,
    build: fn(&Parameters<'_>) -> Result<Network, NetworkError>,
}

/// Every family there is.
pub static FAMILIES: &[Family] = &[
    Family {
        name: "ring",
        aliases: &["cycle"],
        usage: "ring:n",
        example: "ring:8",
        description: "n routers in a circle",
        build: ring::build,
    },
    Family {
        name: "path",
        aliases: &["line", "linear-array"],
        usage: "path:n",
        example: "path:8",
        description: "n routers in a row",
        build: path::build,
    },
    Family {
        name: "star",
        aliases: &[],
        usage: "star:n",
        example: "star:8",
        description: "router 0 linked to each of the n-1 others",
        build: star::build,
    },
    Family {
        name: "complete",
        aliases: &["clique"],
        usage: "complete:n",
        example: "complete:8",
        description: "n routers, every two linked",
        build: complete::build,
    },
    Family {
        name: "mesh",
        aliases: &["grid"],
        usage: "mesh:AxBx...",
        example: "mesh:4x4",
        description: "a grid with any number of sides, the last coordinate fastest",
        build: mesh::build,
    },
    Family {
        name: "torus",
        aliases: &[],
        usage: "torus:AxBx...",
        example: "torus:4x4",
        description: "a mesh whose rows are rings",
        build: torus::build,
    },
    Family {
        name: "hypercube",
        aliases: &["cube"],
        usage: "hypercube:d",
        example: "hypercube:4",
        description: "2^d routers, linked where the numbers differ in one bit",
        build: hypercube::build,
    },
    Family {
        name: "octagon",
        aliases: &["spidergon", "twisted-ladder", "mobius-ladder", "mobius"],
        usage: "octagon:n with n = 8, 12, 16, ...",
        example: "octagon:8",
        description: "a ring with links across to the router opposite",
        build: octagon::build,
    },
    Family {
        name: "coated-mesh",
        aliases: &[],
        usage: "coated-mesh:AxB",
        example: "coated-mesh:4x4",
        description: "AxB routers with 2(A+B) processors around them, clockwise from the top left",
        build: coated_mesh::build,
    },
    Family {
        name: "kautz",
        aliases: &[],
        usage: "kautz:d,D",
        example: "kautz:3,2",
        description: "directed; words of length D over d+1 letters without equal neighbours",
        build: kautz::build,
    },
    Family {
        name: "petersen",
        aliases: &[],
        usage: "petersen",
        example: "petersen",
        description: "the Moore graph of degree 3: 10 routers at most 2 hops apart",
        build: petersen::build,
    },
    Family {
        name: "hyperx",
        aliases: &["hamming", "flattened-butterfly"],
        usage: "hyperx:AxBx...",
        example: "hyperx:4x4",
        description: "a grid whose rows are complete graphs",
        build: hyperx::build,
    },
    Family {
        name: "random-regular",
        aliases: &[],
        usage: "random-regular:n,r,seed",
        example: "random-regular:16,4,1",
        description: "n routers with r links each, drawn from the seed, connected",
        build: random_regular::build,
    },
];

/// The network that a specification such as `torus:4x4@2` stands for.
pub fn build(spec: &str) -> Result<Network, NetworkError> {
    let spec = spec.trim();
    let (rest, fat) = match spec.split_once('@') {
        Some((rest, fat)) => (rest, Some(fat)),
        None => (spec, None),
    };
    let (name, text) = match rest.split_once(':') {
        Some((name, text)) => (name, Some(text)),
        None => (rest, None),
    };
    let family = find(name)?;
    let mut parameters = Parameters::new(spec, family, text);
    if let Some(fat) = fat {
        parameters.set_fat(fat)?;
    }
    let network = (family.build)(&parameters)?;
    match parameters.fat() {
        1 => Ok(network),
        fat => network.with_fat_nodes(fat),
    }
}

/// The family of that name or alias.
pub fn find(name: &str) -> Result<&'static Family, NetworkError> {
    let names = || {
        let named = |family: &'static Family| {
            let all = [family.name].into_iter().chain(family.aliases.iter().copied());
            all.map(move |name| (name, family))
        };
        FAMILIES.iter().flat_map(named)
    };
    let asked = name.trim().to_ascii_lowercase();
    if let Some((_, family)) = names().find(|(known, _)| *known == asked) {
        return Ok(family);
    }
    let nearest = names().min_by_key(|(known, _)| edit_distance(known, &asked));
    let nearest = nearest.map(|(known, _)| known.to_owned()).unwrap_or_default();
    Err(NetworkError::Unknown { name: name.to_owned(), nearest })
}

/// How many letters must be put in, left out or changed to make one word of the other.
fn edit_distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (i, a) in one.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, &b) in other.iter().enumerate() {
            let changed = diagonal + usize::from(a != b);
            diagonal = row[j + 1];
            row[j + 1] = changed.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[other.len()]
}

#[cfg(test)]
mod tests;
