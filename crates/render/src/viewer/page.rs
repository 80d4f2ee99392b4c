//! Self-contained pages: they work from disk, without network access.

use super::data::{is_playable, schedule_data};
use super::{SCRIPT, STYLE};
use crate::picture::{DrawError, DrawnSchedule, Show, Theme, network, schedule, svg};
use crate::xml::escaped;
use pavane_model::Network;
use serde_json::Value;

const PAGE: &str = include_str!("page.html");
const START: &str = include_str!("page.js");

/// Number of steps in a still picture.
const STILL: u32 = 4;

/// The page of a schedule. It plays the schedule, or shows a still picture if the schedule is too
/// large.
pub fn schedule_page(drawn: &DrawnSchedule<'_>) -> Result<String, DrawError> {
    let Some((first, _)) = drawn.phases.first() else { return Ok(String::new()) };
    let title = drawn.title();
    crate::picture::check_size(first.problem().network())?;
    if is_playable(&drawn.phases) {
        return Ok(player_page(&title, &schedule_data(drawn)));
    }
    let steps = Some(0..drawn.step_count().min(STILL));
    let show = Show { no_chart: true, steps, ..Show::default() };
    let all = schedule(drawn, &show);
    // Even four steps may be too many.
    let scene = match all {
        Err(DrawError::TooMany { .. }) => network(first.problem().network())?,
        other => other?,
    };
    let note = "<p class=\"note\">This schedule has too many transfers to be played in a browser, so this is a \
                still picture.</p>";
    let picture = svg::write(&scene, Theme::Auto);
    Ok(page(&title, &format!("{note}\n<div class=\"still\">{picture}</div>"), ""))
}

/// A page with the player and its data.
pub(super) fn player_page(title: &str, data: &Value) -> String {
    // A script element ends at the first `</script`, even inside a string, so `<` is escaped.
    let data = data.to_string().replace('<', "\\u003c");
    let script = format!(
        "<script type=\"application/json\" id=\"data\">{data}</script>\n<script>\n{SCRIPT}\n{START}</script>"
    );
    page(title, "", &script)
}

/// The page of a network: a picture.
pub fn network_page(drawn: &Network) -> Result<String, DrawError> {
    let picture = svg::write(&network(drawn)?, Theme::Auto);
    Ok(picture_page(drawn.name(), &picture))
}

/// A page around an SVG picture; `picture` is inserted without escaping.
pub fn picture_page(title: &str, picture: &str) -> String {
    page(title, &format!("<div class=\"still\">{picture}</div>"), "")
}

fn page(title: &str, body: &str, script: &str) -> String {
    // Inserted text may contain a placeholder, so the template is cut instead of searched again.
    let parts = [("@STYLE@", STYLE), ("@BODY@", body), ("@SCRIPT@", script)];
    let (mut rest, mut made) = (PAGE.replace("@TITLE@", &escaped(title)), String::new());
    for (place, text) in parts {
        if let Some((before, after)) = rest.split_once(place) {
            made += before;
            made += text;
            rest = after.to_owned();
        }
    }
    made + &rest
}
