//! Access control: a request needs the token, unless it is for a public file. A foreign `Host`
//! (another name that resolves to this address) or `Origin` (a page of another site) is refused.

use super::connections::{Connection, MOST_BUSY};
use super::page;
use super::{Studio, routes};
use axum::Extension;
use axum::extract::{Request, State};
use axum::http::header::{CONNECTION, HOST, ORIGIN};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use std::net::SocketAddr;
use std::sync::Arc;

/// Content security policy: pages load only from this server, without inline scripts and styles.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
                      connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// How an accepted request is authorised.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Access {
    /// It is for a public file.
    Public,
    /// By the token.
    Token,
}

/// Decides which requests are answered.
pub struct Gate {
    hosts: Vec<String>,
    token: String,
}

impl Gate {
    /// A gate for a studio at an address, with an unguessable token.
    pub fn new(address: SocketAddr) -> Self {
        let mut hosts = vec![address.to_string()];
        if address.ip().is_loopback() || address.ip().is_unspecified() {
            hosts.push(format!("localhost:{}", address.port()));
        }
        let token = format!("{:032x}", rand::random::<u128>());
        Self { hosts, token }
    }

    /// Whether a host with its port is this studio. A studio that listens on all addresses accepts
    /// each of them, but no name except `localhost`, because the owner of a name can make it
    /// resolve to any address.
    fn is_own(&self, host: &str) -> bool {
        let (own, asked) = (self.hosts[0].parse::<SocketAddr>(), host.parse::<SocketAddr>());
        let is_any = own
            .ok()
            .zip(asked.ok())
            .is_some_and(|(own, asked)| own.ip().is_unspecified() && own.port() == asked.port());
        is_any || self.hosts.iter().any(|known| known == host)
    }

    /// The token.
    pub fn token(&self) -> &str {
        &self.token
    }

    /// How a request is authorised, or why it is refused.
    fn check(&self, headers: &HeaderMap, path: &str, query: &str) -> Result<Access, String> {
        let host = headers.get(HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
        // Browsers omit port 80.
        let with_port = format!("{host}:80");
        if ![host, &with_port].into_iter().any(|host| self.is_own(host)) {
            return Err(format!("wrong address {host:?}; use the address that the studio printed"));
        }
        if let Some(origin) = headers.get(ORIGIN) {
            let origin = origin.to_str().unwrap_or_default();
            if origin != format!("http://{host}") {
                return Err(format!("requests from pages of {origin:?} are rejected"));
            }
        }
        let given = query.split('&').find_map(|pair| pair.strip_prefix("token="));
        if is_same(given.unwrap_or_default(), &self.token) {
            return Ok(Access::Token);
        }
        if page::is_public(path) {
            return Ok(Access::Public);
        }
        Err("the token is missing or wrong; use the address that the studio printed".to_owned())
    }
}

/// Compares in constant time, so that timing reveals nothing about the token.
fn is_same(one: &str, other: &str) -> bool {
    let different = one.bytes().zip(other.bytes()).fold(0, |sum, (a, b)| sum | (a ^ b));
    one.len() == other.len() && different == 0
}

/// Answers or refuses a request, and adds headers that restrict what browsers do with the response.
pub async fn guard(
    State(studio): State<Arc<Studio>>,
    Extension(connection): Extension<Arc<Connection>>,
    request: Request,
    next: Next,
) -> Response {
    let (path, query) = (request.uri().path(), request.uri().query().unwrap_or_default());
    let mut response = match studio.gate.check(request.headers(), path, query) {
        Ok(Access::Public) => next.run(request).await,
        Ok(Access::Token) => match connection.start_request() {
            Some(active) => active.until_sent(next.run(request).await),
            None => closing(routes::refused(
                StatusCode::SERVICE_UNAVAILABLE,
                format!("the studio is busy with {MOST_BUSY} requests; try again later"),
            )),
        },
        Err(why) => closing((StatusCode::FORBIDDEN, why).into_response()),
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

/// A refusal that closes the connection, so that it is not kept open without the token.
fn closing(mut response: Response) -> Response {
    response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_need_the_token_and_a_local_origin() {
        let gate = Gate::new("127.0.0.1:4000".parse().unwrap());
        let right = format!("token={}", gate.token());
        let cases = [
            ("127.0.0.1:4000", None, "/", right.as_str(), true),
            ("localhost:4000", Some("http://localhost:4000"), "/api/jobs", &right, true),
            ("127.0.0.1:4000", None, "/viewer.js", "", true),
            ("127.0.0.1:4000", None, "/api/jobs/1/data.js", "", false),
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
            let access = gate.check(&headers, path, query);
            assert_eq!(access.is_ok(), gets_in, "{host} {origin:?} {path}: {access:?}");
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
            assert_eq!(everywhere.check(&headers, "/", &right).is_ok(), gets_in, "{host}");
        }
        let usual = Gate::new("127.0.0.1:80".parse().unwrap());
        let right = format!("token={}", usual.token());
        for (host, gets_in) in [
            ("127.0.0.1", true),
            ("127.0.0.1:80", true),
            ("localhost", true),
            ("127.0.0.1:4000", false),
            ("evil.example", false),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(HOST, HeaderValue::from_static(host));
            assert_eq!(usual.check(&headers, "/", &right).is_ok(), gets_in, "{host}");
        }
        let other = Gate::new("127.0.0.1:4000".parse().unwrap());
        assert_ne!(gate.token(), other.token());
    }
}
