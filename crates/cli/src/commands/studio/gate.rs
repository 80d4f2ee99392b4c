//! Who gets in: whoever knows the token, from a page of our own. A foreign `Host` (another name that leads
//! here) or `Origin` (a page from elsewhere that asks behind its reader's back) is refused.

use super::Studio;
use axum::extract::{Request, State};
use axum::http::header::{HOST, ORIGIN};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use std::net::SocketAddr;
use std::sync::Arc;

/// What a page may load: from here only, and no script or style inside of a page.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
                      connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Who gets in.
pub struct Gate {
    hosts: Vec<String>,
    token: String,
}

impl Gate {
    /// A gate for a studio at an address, with a token that nobody can guess.
    pub fn new(address: SocketAddr) -> Self {
        let mut hosts = vec![address.to_string()];
        if address.ip().is_loopback() || address.ip().is_unspecified() {
            hosts.push(format!("localhost:{}", address.port()));
        }
        let token = format!("{:032x}", rand::random::<u128>());
        Self { hosts, token }
    }

    /// Listening at every address there is, any of them may be meant; a name may not, since whoever owns one can
    /// let it mean any address.
    fn is_own_address(&self, host: &str) -> bool {
        let (own, asked) = (self.hosts[0].parse::<SocketAddr>(), host.parse::<SocketAddr>());
        let pair = own.ok().zip(asked.ok());
        pair.is_some_and(|(own, asked)| own.ip().is_unspecified() && own.port() == asked.port())
    }

    /// The token.
    pub fn token(&self) -> &str {
        &self.token
    }

    /// Why a request is refused, if it is. Scripts and styles are no secret; all else needs the token.
    fn refusal(&self, headers: &HeaderMap, path: &str, query: &str) -> Option<String> {
        let host = headers.get(HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
        if !self.hosts.iter().any(|known| known == host) && !self.is_own_address(host) {
            return Some(format!(
                "this studio is not at {host:?}; use the address that it printed"
            ));
        }
        if let Some(origin) = headers.get(ORIGIN) {
            let origin = origin.to_str().unwrap_or_default();
            if origin != format!("http://{host}") {
                return Some(format!("a page from {origin:?} may not use this studio"));
            }
        }
        let is_open = path.ends_with(".js") || path.ends_with(".css");
        let given = query.split('&').find_map(|pair| pair.strip_prefix("token="));
        if !is_open && !is_same(given.unwrap_or_default(), &self.token) {
            return Some(
                "the token is missing or wrong; use the address that the studio printed".into(),
            );
        }
        None
    }
}

/// Compares without telling by its time how much was right.
fn is_same(one: &str, other: &str) -> bool {
    let different = one.bytes().zip(other.bytes()).fold(0, |sum, (a, b)| sum | (a ^ b));
    one.len() == other.len() && different == 0
}

/// Lets a request in or refuses it, and tells browsers to be careful.
pub async fn guard(State(studio): State<Arc<Studio>>, request: Request, next: Next) -> Response {
    let (path, query) = (request.uri().path(), request.uri().query().unwrap_or_default());
    let mut response = match studio.gate.refusal(request.headers(), path, query) {
        Some(why) => (StatusCode::FORBIDDEN, why).into_response(),
        None => next.run(request).await,
    };
    let fixed = [
        ("content-security-policy", POLICY),
        ("x-content-type-options", "nosniff"),
        ("referrer-policy", "no-referrer"),
        ("cache-control", "no-store"),
        ("cross-origin-resource-policy", "same-origin"),
    ];
    for (name, value) in fixed {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_who_knows_the_token_gets_in_and_only_from_here() {
        let gate = Gate::new("127.0.0.1:4000".parse().unwrap());
        let right = format!("token={}", gate.token());
        let cases = [
            ("127.0.0.1:4000", None, "/", right.as_str(), true),
            ("localhost:4000", Some("http://localhost:4000"), "/api/jobs", &right, true),
            ("127.0.0.1:4000", None, "/viewer.js", "", true),
            ("127.0.0.1:4000", None, "/", "", false),
            ("127.0.0.1:4000", None, "/", "token=0", false),
            ("evil.example:4000", None, "/", &right, false),
            ("evil.example", None, "/viewer.js", "", false),
            ("127.0.0.1:4000", Some("http://evil.example"), "/api/jobs", &right, false),
            ("127.0.0.1:4000", Some("null"), "/api/jobs", &right, false),
            ("127.0.0.1:4000", Some("https://127.0.0.1:4000"), "/api/jobs", &right, false),
        ];
        for (host, origin, path, query, gets_in) in cases {
            let mut headers = HeaderMap::new();
            headers.insert(HOST, HeaderValue::from_str(host).unwrap());
            if let Some(origin) = origin {
                headers.insert(ORIGIN, HeaderValue::from_str(origin).unwrap());
            }
            let refusal = gate.refusal(&headers, path, query);
            assert_eq!(refusal.is_none(), gets_in, "{host} {origin:?} {path}: {refusal:?}");
        }
        let everywhere = Gate::new("0.0.0.0:4000".parse().unwrap());
        let right = format!("token={}", everywhere.token());
        for (host, gets_in) in [
            ("192.168.1.2:4000", true),
            ("localhost:4000", true),
            ("192.168.1.2:4001", false),
            ("evil.example:4000", false),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(HOST, HeaderValue::from_static(host));
            assert_eq!(everywhere.refusal(&headers, "/", &right).is_none(), gets_in, "{host}");
        }
        let other = Gate::new("127.0.0.1:4000".parse().unwrap());
        assert_ne!(gate.token(), other.token());
    }
}
