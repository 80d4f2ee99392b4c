//! The studio against clients that hold connections open.

use super::Studio;
use serde_json::json;
use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::TcpStream;

/// Limit on open files in tests that exhaust them.
const FEW_FILES: &str = "256";

/// Whether the studio has closed a connection. Does not wait for data.
fn is_closed(stream: &mut TcpStream) -> bool {
    stream.set_nonblocking(true).unwrap();
    let mut bytes = [0; 1 << 16];
    loop {
        match stream.read(&mut bytes) {
            Ok(0) => return true,
            Ok(_) => {}
            Err(error) => return error.kind() != ErrorKind::WouldBlock,
        }
    }
}

/// What clients without the token send before they stall: nothing, part of a request line, part of
/// the headers, part of a body, and a complete request for a public file on a connection that stays
/// open.
fn stalled(host: &str) -> [String; 5] {
    [
        String::new(),
        "GET /?tok".to_owned(),
        format!("GET / HTTP/1.1\r\nHost: {host}\r\nX-Slow: "),
        format!("POST /api/jobs HTTP/1.1\r\nHost: {host}\r\nContent-Length: 1000\r\n\r\n{{"),
        format!("GET /studio.css HTTP/1.1\r\nHost: {host}\r\n\r\n"),
    ]
}

/// Holds `count` stalled connections, and adds single bytes to the headers of some, like a slow
/// client.
fn hold(studio: &Studio, count: usize) -> Vec<TcpStream> {
    let texts = stalled(&studio.host);
    let mut held: Vec<TcpStream> =
        (0..count).map(|at| studio.send(&texts[at % texts.len()])).collect();
    for _ in 0..3 {
        held.iter_mut().skip(2).step_by(texts.len()).for_each(|stream| {
            let _ = stream.write_all(b"x");
        });
    }
    held
}

#[test]
fn stalled_connections_without_the_token_do_not_lock_the_owner_out() {
    // Once with fewer files than connections, once with enough files, so that the limits of the
    // studio apply.
    for files in [FEW_FILES, "1024"] {
        let studio = Studio::start(files);
        let long =
            json!({"kind": "solve", "network": "random-regular:200,3,1", "collective": "aas"});
        let job = studio.add(&long);
        let mut events =
            studio.send(&studio.request("GET", &format!("/api/jobs/{job}/events"), "", ""));
        let mut first = [0; 1];
        events.read_exact(&mut first).unwrap();

        let mut held = hold(&studio, 800);
        for _ in 0..20 {
            assert_eq!(studio.ask("GET", "/api/choices", "").0, 200, "{files} files");
        }
        assert!(is_closed(&mut held[0]), "{files} files: the oldest connection is still open");
        let next = studio.add(&json!({"kind": "solve", "network": "ring:4", "collective": "oab"}));
        assert!(next > job);

        // The event stream has the token, so it continues until its job ends.
        assert_eq!(studio.ask("POST", &format!("/api/jobs/{job}/cancel"), "").0, 200);
        let (mut events, mut news) = (BufReader::new(events), String::new());
        let is_over = |news: &str| ["\"done\"", "\"failed\""].iter().any(|end| news.contains(end));
        while !is_over(&news) {
            assert_ne!(events.read_line(&mut news).unwrap(), 0, "the stream ended early: {news}");
        }
    }
}

#[test]
fn connections_with_the_token_are_limited_too() {
    let studio = Studio::start(FEW_FILES);
    // Slow bodies of requests with the token.
    let whole = studio.request("POST", "/api/jobs", "", &"x".repeat(1000));
    let slow: Vec<TcpStream> = (0..50).map(|_| studio.send(&whole[..whole.len() - 900])).collect();
    assert_eq!(studio.ask("GET", "/api/choices", "").0, 200);
    // Connections that were answered and stay open.
    let request = studio.request("GET", "/api/choices", "", "");
    let mut idle: Vec<TcpStream> = (0..300)
        .map(|_| {
            let mut stream = studio.send(&request);
            let mut start = [0; 12];
            stream.read_exact(&mut start).unwrap();
            assert_eq!(&start, b"HTTP/1.1 200");
            stream
        })
        .collect();
    assert_eq!(studio.ask("GET", "/api/choices", "").0, 200);
    assert!(is_closed(&mut idle[0]));
    drop(slow);
}

#[test]
fn headers_and_bodies_are_limited() {
    let studio = Studio::start("1024");
    let long = format!("X-Long: {}\r\n", "x".repeat(200_000));
    for (request, status) in [
        (studio.request("GET", "/api/choices", &long, ""), "431"),
        (studio.request("GET", "/api/choices", &"X-Many: 1\r\n".repeat(200), ""), "431"),
        (studio.request("POST", "/api/jobs", "", &"x".repeat(3 << 20)), "413"),
        (studio.request("GET", "/api/choices", "", "").replace("?token=", "?token=0"), "403"),
    ] {
        let mut stream = studio.send(&request);
        let mut line = String::new();
        BufReader::new(&mut stream).read_line(&mut line).unwrap();
        assert!(line.contains(status), "{line}");
    }
}
