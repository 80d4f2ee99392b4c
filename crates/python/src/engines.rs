//! The engines, and which of them take a problem.

use crate::to_python;
use pavane_model::Problem;
use pavane_search::Engine;
use pavane_search::parameters::{Parameter, Range};
use pyo3::prelude::*;
use serde_json::{Value, json};

/// Every engine that `Problem.solve` accepts, as `pavane engines --json` lists them: name; purpose, which says what it
/// is for; automatic, whether it takes part if no engine is named; exact, whether it can prove that there is no
/// schedule; and its parameters, each with name, meaning, the values of the presets (tuned, paper) and what it accepts
/// (choices, or least and most). `Problem.engines` names those that suit a problem.
#[pyfunction]
pub fn engines(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    let catalogue = pavane_evolution::catalogue();
    let usual = catalogue.usual.iter().map(|engine| (*engine, true));
    let named = catalogue.named.iter().map(|engine| (*engine, false));
    let list: Value =
        usual.chain(named).map(|(engine, is_usual)| described(engine, is_usual)).collect();
    to_python(py, &list)
}

/// The names of the engines that accept all of these problems.
pub fn suitable(problems: &[Problem]) -> Vec<&'static str> {
    let catalogue = pavane_evolution::catalogue();
    let all = catalogue.usual.iter().chain(catalogue.named);
    let suits = |engine: &&&dyn Engine| problems.iter().all(|problem| engine.takes(problem));
    all.filter(suits).map(|engine| engine.name()).collect()
}

fn described(engine: &dyn Engine, is_automatic: bool) -> Value {
    let traits = engine.describe();
    json!({
        "name": engine.name(),
        "purpose": traits.purpose,
        "automatic": is_automatic,
        "exact": traits.is_exact,
        "parameters": traits.parameters.iter().map(parameter).collect::<Vec<_>>(),
    })
}

fn parameter(one: &Parameter) -> Value {
    let value = |value: f64| match one.range {
        Range::Word(_) => json!(one.range.show(value)),
        Range::Whole(..) => json!(value as u64),
        Range::Real(..) => json!(value),
    };
    let mut described = json!({
        "name": one.name,
        "meaning": one.meaning,
        "tuned": value(one.tuned),
        "paper": value(one.paper),
    });
    match one.range {
        Range::Word(words) => described["choices"] = json!(words),
        Range::Whole(least, most) => {
            described["least"] = json!(least);
            described["most"] = json!(most);
        }
        Range::Real(least, most) => {
            described["least"] = json!(least);
            described["most"] = json!(most);
        }
    }
    described
}
