//! The studio as its page uses it. Clients connect to 127.0.0.1 only.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a failure here is a failed test")]

mod archives;
mod connections;
mod networks;
mod opened;
mod reasons;
mod steps;
mod throughput;
mod time;

use pavane_model::strict_json;
use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Duration;

/// A studio that does not answer for this long has locked its owner out.
const PATIENCE: Duration = Duration::from_secs(20);

/// A running studio, killed when dropped.
pub struct Studio {
    child: Child,
    /// Kept open so that the studio can print.
    _output: BufReader<ChildStdout>,
    pub host: String,
    token: String,
}

impl Drop for Studio {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Studio {
    /// Starts a studio with a limit on open files, as for `ulimit -n`.
    pub fn start(files: &str) -> Self {
        let script = format!("ulimit -n {files}; exec \"$0\" studio --no-open --json");
        let mut command = Command::new("sh");
        command.args(["-c", &script, env!("CARGO_BIN_EXE_pavane")]).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        let mut text = String::new();
        while !text.trim_end().ends_with('}') {
            assert_ne!(output.read_line(&mut text).unwrap(), 0, "the studio did not start: {text}");
        }
        let printed: Value = strict_json::from_str(&text).unwrap();
        let address = printed["address"].as_str().unwrap().strip_prefix("http://").unwrap();
        let (host, token) = address.split_once("/?").unwrap();
        let (host, token) = (host.to_owned(), token.to_owned());
        Self { child, _output: output, host, token }
    }

    /// Opens a connection and sends a text.
    pub fn send(&self, text: &str) -> TcpStream {
        let mut stream = TcpStream::connect_timeout(&self.host.parse().unwrap(), PATIENCE).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        // The studio may already have closed the connection.
        let _ = stream.write_all(text.as_bytes());
        stream
    }

    /// A request with the token; `more` contains header lines.
    pub fn request(&self, method: &str, path: &str, more: &str, body: &str) -> String {
        let separator = if path.contains('?') { '&' } else { '?' };
        let (host, token, length) = (&self.host, &self.token, body.len());
        format!(
            "{method} {path}{separator}{token} HTTP/1.1\r\nHost: {host}\r\n{more}Content-Length: {length}\r\n\r\n{body}"
        )
    }

    /// Status, headers and body of the response to a request with the token.
    pub fn ask(&self, method: &str, path: &str, body: &str) -> (u16, String, Vec<u8>) {
        let mut stream = self.send(&self.request(method, path, "Connection: close\r\n", body));
        let mut answer = Vec::new();
        if let Err(error) = stream.read_to_end(&mut answer) {
            panic!("no answer to {path}: {error}");
        }
        let end = answer.windows(4).position(|four| four == b"\r\n\r\n").expect("headers end");
        let head = String::from_utf8(answer[..end].to_vec()).unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        (status, head, answer[end + 4..].to_vec())
    }

    /// Adds a job and returns its number.
    pub fn add(&self, request: &Value) -> u64 {
        let (status, _, body) = self.ask("POST", "/api/jobs", &request.to_string());
        assert_eq!(status, 200, "{}", String::from_utf8_lossy(&body));
        strict_json::from_slice::<Value>(&body).unwrap()["job"].as_u64().unwrap()
    }

    /// Runs a job to its end and returns its number and its last event.
    pub fn finish(&self, request: &Value) -> (u64, Value) {
        let job = self.add(request);
        let (_, _, news) = self.ask("GET", &format!("/api/jobs/{job}/events"), "");
        let news = String::from_utf8(news).unwrap();
        let last = news.lines().filter_map(|line| line.strip_prefix("data: ")).next_back();
        (job, strict_json::from_str(last.unwrap()).unwrap())
    }

    /// The data of a finished job.
    pub fn data(&self, job: u64) -> Value {
        let (status, _, body) = self.ask("GET", &format!("/api/jobs/{job}/data"), "");
        assert_eq!(status, 200, "{}", String::from_utf8_lossy(&body));
        strict_json::from_slice(&body).unwrap()
    }
}

/// The text of a part of an answer.
fn part<'a>(data: &'a Value, name: &str) -> &'a str {
    let lines = data["lines"].as_array().unwrap().iter();
    let mut found = lines.filter(|line| line[0] == name).map(|line| line[1].as_str().unwrap());
    found.next().unwrap_or_default()
}
