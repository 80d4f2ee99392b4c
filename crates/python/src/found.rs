//! A phase of a schedule with its bound.

use pavane_model::{Bound as Least, Certificate};
use pavane_verify::{CheckedSchedule, cheap_bound};
use std::sync::Arc;

/// A phase with its bound and the engine that found it.
#[derive(Clone)]
pub struct Found {
    pub checked: CheckedSchedule,
    pub bound: Least,
    pub engine: String,
    /// The proof that the bound needs, if any, in LRAT.
    pub proof: Option<Arc<Vec<u8>>>,
}

impl Found {
    /// A phase with the bound that needs no certificate.
    pub fn plain(checked: &CheckedSchedule, engine: &str) -> Self {
        let bound = plain_bound(checked);
        Self { checked: checked.clone(), bound, engine: engine.to_owned(), proof: None }
    }

    /// The bound for a file beside which the proof has this name. Without a proof the certificate that
    /// needs it is left out.
    pub fn bound_in_file(&self, proof_name: String) -> Least {
        let mut bound = self.bound.clone();
        if let Some(Certificate::Exact { proof, .. }) = &mut bound.certificate {
            match self.proof {
                Some(_) => *proof = proof_name,
                None => bound.certificate = None,
            }
        }
        bound
    }
}

/// The bound that can be derived without a certificate.
pub fn plain_bound(checked: &CheckedSchedule) -> Least {
    Least {
        steps: cheap_bound(checked.problem()),
        reason: "cheap".to_owned(),
        explanation: "derived without a certificate".to_owned(),
        certificate: None,
    }
}
