//! A throughput plan: the load of every channel with what limits the throughput, or the trees or
//! paths of one message.

mod limit;
mod loads;
mod routes;
mod shown;

use super::bandwidth::Widths;
use super::draw::{DrawError, Page, check_size};
use super::ink::Ink;
use super::labels::faults;
use super::map::Map;
use super::nodes;
use super::scene::{Scene, text_width};
use pavane_model::throughput::PlanPhase;
use pavane_model::{Fraction, claims, words};
use pavane_verify::CheckedPlan;

pub use shown::{NoSuchRoutes, ShownRoutes};

/// The smallest width of a picture, so that legends fit, and the largest for the sake of its facts.
const WIDTHS: (f64, f64) = (560.0, 900.0);

/// Draws a plan; `name` is the name of its collective. A phase that does not exist is empty.
pub fn plan(name: &str, checked: &CheckedPlan, shown: ShownRoutes) -> Result<Scene, DrawError> {
    let network = checked.network();
    check_size(network)?;
    let map = Map::new(network);
    let title = crate::title::title(name, network);
    let panels = shown.message.map(|label| routes::panels(checked, &map, shown.phase, label));
    let panels = panels.transpose()?;
    let widths = panels.iter().flatten().map(|panels| panels.scene.width);
    let facts = facts(checked);
    let width = widths.fold(map.width, f64::max);
    let width = width.max(text_width(&facts, 13.0).clamp(WIDTHS.0, WIDTHS.1));
    let mut page = Page::new(title.clone(), width);
    page.line(18.0, Ink::Text, true, &title);
    page.line(13.0, Ink::Text, false, &facts);
    if !network.faults().is_empty() {
        page.line(11.0, Ink::Broken, false, &format!("broken {}", faults(network)));
    }
    let bandwidths = Widths::of(network).map(|widths| widths.legend(nodes::thinnest(&map)));
    match panels {
        Some(panels) => {
            bandwidths.into_iter().for_each(|legend| page.place(legend));
            panels.into_iter().for_each(|panels| panels.add_to(&mut page));
        }
        None => {
            if let Some(phase) = shown.phase {
                page.line(13.0, Ink::Text, true, &phase_name(checked, phase));
            }
            let limit = limit::Limit::of(checked);
            page.place(loads::legend(limit.as_ref(), width));
            bandwidths.into_iter().for_each(|legend| page.place(legend));
            page.place(loads::scene(checked, &map, shown.phase, limit.as_ref()));
        }
    }
    Ok(page.finish())
}

/// The phases to draw, with their numbers.
fn phases(
    checked: &CheckedPlan,
    phase: Option<usize>,
) -> impl Iterator<Item = (usize, &PlanPhase)> {
    let all = checked.plan().phases.iter().enumerate();
    all.filter(move |&(number, _)| phase.is_none_or(|phase| phase == number))
}

/// `phase 0: reduce-scatter`.
fn phase_name(checked: &CheckedPlan, phase: usize) -> String {
    let name = checked.plan().phases.get(phase);
    let name = name.map(|phase| format!(": {}", claims::collective_in_words(&phase.problem)));
    format!("phase {phase}{}", name.unwrap_or_default())
}

/// The number of trees or paths, the time of the plan, and how it compares with the limit.
fn facts(checked: &CheckedPlan) -> String {
    let phases = &checked.plan().phases;
    let count: usize = phases.iter().map(|phase| phase.routes.len()).sum();
    let has_paths = phases.iter().any(PlanPhase::has_paths);
    let routes = words::counted(count, if has_paths { "path" } else { "tree" });
    let (time, proved) = (checked.time(), checked.proved());
    let status = match proved {
        _ if checked.is_optimal() => "throughput-optimal: no plan takes less".to_owned(),
        Some((proved, _)) => {
            let more = 100.0 * (time.to_f64() / proved.to_f64() - 1.0);
            format!("{more:.1} % above the proved limit {}", with_decimals(proved))
        }
        None => "without a proved limit".to_owned(),
    };
    format!("{routes}, {} ns per byte of a message; {status}", with_decimals(time))
}

/// A fraction, and its value if it is not an integer: `3/65 (0.0462)`.
fn with_decimals(fraction: Fraction) -> String {
    match fraction.denominator() {
        1 => fraction.to_string(),
        _ => format!("{fraction} ({:.4})", fraction.to_f64()),
    }
}
