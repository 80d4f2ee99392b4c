//! The studio against clients that hold connections open, the names of its downloads, chunks, and
//! throughput plans. Clients connect to 127.0.0.1 only.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a failure here is a failed test")]

use pavane_model::strict_json;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Duration;

/// Limit on open files in tests that exhaust them.
const FEW_FILES: &str = "256";

/// A studio that does not answer for this long has locked its owner out.
const PATIENCE: Duration = Duration::from_secs(20);

/// A running studio, killed when dropped.
struct Studio {
    child: Child,
    /// Kept open so that the studio can print.
    _output: BufReader<ChildStdout>,
    host: String,
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
    fn start(files: &str) -> Self {
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
    fn send(&self, text: &str) -> TcpStream {
        let mut stream = TcpStream::connect_timeout(&self.host.parse().unwrap(), PATIENCE).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        // The studio may already have closed the connection.
        let _ = stream.write_all(text.as_bytes());
        stream
    }

    /// A request with the token; `more` contains header lines.
    fn request(&self, method: &str, path: &str, more: &str, body: &str) -> String {
        let separator = if path.contains('?') { '&' } else { '?' };
        let (host, token, length) = (&self.host, &self.token, body.len());
        format!(
            "{method} {path}{separator}{token} HTTP/1.1\r\nHost: {host}\r\n{more}Content-Length: {length}\r\n\r\n{body}"
        )
    }

    /// Status, headers and body of the response to a request with the token.
    fn ask(&self, method: &str, path: &str, body: &str) -> (u16, String, Vec<u8>) {
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
    fn add(&self, request: &Value) -> u64 {
        let (status, _, body) = self.ask("POST", "/api/jobs", &request.to_string());
        assert_eq!(status, 200, "{}", String::from_utf8_lossy(&body));
        strict_json::from_slice::<Value>(&body).unwrap()["job"].as_u64().unwrap()
    }

    /// Runs a job to its end and returns its number and its last event.
    fn finish(&self, request: &Value) -> (u64, Value) {
        let job = self.add(request);
        let (_, _, news) = self.ask("GET", &format!("/api/jobs/{job}/events"), "");
        let news = String::from_utf8(news).unwrap();
        let last = news.lines().filter_map(|line| line.strip_prefix("data: ")).next_back();
        (job, strict_json::from_str(last.unwrap()).unwrap())
    }

    /// The data of a finished job.
    fn data(&self, job: u64) -> Value {
        let (status, _, body) = self.ask("GET", &format!("/api/jobs/{job}/data"), "");
        assert_eq!(status, 200, "{}", String::from_utf8_lossy(&body));
        strict_json::from_slice(&body).unwrap()
    }
}

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

/// Names and sizes of the entries of a tar archive.
fn entries(archive: &[u8]) -> Vec<(String, usize)> {
    let mut found = Vec::new();
    let mut at = 0;
    while archive[at] != 0 {
        let field = |from: usize, to: usize| {
            let bytes = &archive[at + from..at + to];
            let end = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
            String::from_utf8(bytes[..end].to_vec()).unwrap()
        };
        let size = usize::from_str_radix(&field(124, 136), 8).unwrap();
        let sum: usize = (0..512)
            .map(|byte| {
                usize::from(if (148..156).contains(&byte) { b' ' } else { archive[at + byte] })
            })
            .sum();
        assert_eq!(usize::from_str_radix(field(148, 154).trim(), 8).unwrap(), sum);
        found.push((field(0, 100), size));
        at += 512 + size.next_multiple_of(512);
    }
    found
}

#[test]
fn files_of_an_archive_have_different_names_whatever_the_network_is_called() {
    let studio = Studio::start("1024");
    let names = ["n".repeat(150), "../".repeat(60), "Überlänge ".repeat(20), "con".to_owned()];
    for name in names {
        let text = format!("name = {name:?}\nrouters = 3\nlinks = [[0, 1], [1, 2]]\n");
        let job = studio.add(&json!({"kind": "solve", "text": text, "collective": "all-gather"}));
        let (_, _, news) = studio.ask("GET", &format!("/api/jobs/{job}/events"), "");
        assert!(String::from_utf8_lossy(&news).contains("\"done\""));
        for (format, endings) in [
            ("simgrid", &[".platform.xml", ".trace.csv", ".replay.py"]),
            ("chakra", &[".0.et", ".1.et", ".2.et"]),
        ] {
            let path = format!("/api/jobs/{job}/download?to={format}");
            let (status, head, archive) = studio.ask("GET", &path, "");
            assert_eq!(status, 200);
            let file = head.split("filename=\"").nth(1).unwrap().split('"').next().unwrap();
            assert!(file.len() <= 100 && file.ends_with(&format!("-{format}.tar")), "{file}");
            let entries = entries(&archive);
            let lower: BTreeSet<String> =
                entries.iter().map(|(name, _)| name.to_ascii_lowercase()).collect();
            assert_eq!(lower.len(), endings.len(), "{entries:?}");
            for ((name, size), ending) in entries.iter().zip(endings) {
                assert!(name.ends_with(ending) && *size > 0, "{name}");
                assert!(name.starts_with("all-gather"), "{name}");
                let is_safe = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-');
                assert!(name.chars().all(is_safe) && !name.contains(".."), "{name}");
            }
        }
    }
}

/// The text of a part of a throughput answer.
fn part<'a>(data: &'a Value, name: &str) -> &'a str {
    let lines = data["lines"].as_array().unwrap().iter();
    let mut found = lines.filter(|line| line[0] == name).map(|line| line[1].as_str().unwrap());
    found.next().unwrap_or_default()
}

#[test]
fn the_throughput_of_a_ring_comes_with_a_plan_that_the_judge_accepts() {
    let studio = Studio::start("1024");
    let problem = json!({"network": "ring:4", "collective": "all-gather"});
    let request = json!({
        "kind": "throughput", "problem": problem, "bytes": "1GB", "bandwidth": "50GB/s",
    });
    let (job, end) = studio.finish(&request);
    assert_eq!(end["state"], "done", "{end}");
    let data = studio.data(job);
    assert!(data["title"].as_str().unwrap().starts_with("all-gather on ring:4"), "{data}");
    // Three shards enter a processor over two channels.
    let limit = part(&data, "limit");
    assert!(limit.starts_with("3/100 ns per byte of a shard"), "{limit}");
    assert!(
        limit.ends_with("algorithm bandwidth 133.33 GB/s, bus bandwidth 100.00 GB/s"),
        "{limit}"
    );
    assert!(part(&data, "why").contains("3 shards must enter router"), "{data}");
    assert!(part(&data, "plan").ends_with("attains the limit: throughput-optimal"), "{data}");
    assert!(part(&data, "time").starts_with("7500.00 µs for 1000000000 bytes"), "{data}");
    assert_eq!(part(&data, "note"), "");

    let (status, head, plan) = studio.ask("GET", &format!("/api/jobs/{job}/download"), "");
    assert_eq!(status, 200);
    assert!(head.contains("filename=\"all-gather-ring-4-throughput.json\""), "{head}");
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("studio-throughput.json");
    std::fs::write(&file, &plan).unwrap();
    let plan: Value = strict_json::from_slice(&plan).unwrap();
    assert_eq!(plan["format"], "pavane/throughput/1");
    let judge = Command::new(env!("CARGO_BIN_EXE_pavane")).arg("verify").arg(&file).output();
    let judge = judge.unwrap();
    assert!(judge.status.success(), "{}", String::from_utf8_lossy(&judge.stderr));

    // Pictures, of loads and of one message; no other format.
    let download = |query: &str| {
        let (status, _, body) = studio.ask("GET", &format!("/api/jobs/{job}/download?{query}"), "");
        (status, String::from_utf8_lossy(&body).into_owned())
    };
    let (status, loads) = download("to=svg");
    assert!(status == 200 && loads.contains("f-shade"), "{loads}");
    let (status, trees) = download("to=svg&message=2");
    assert!(status == 200 && !trees.contains("f-shade"), "{trees}");
    for (query, reason) in [
        ("to=svg&message=9", "there is no message 9"),
        ("to=svg&message=x", "message: expected a message such as 3"),
        ("to=svg&phase=1", "there is no phase 1"),
        ("to=msccl", "use json, svg or png"),
    ] {
        let (status, text) = download(query);
        assert!(status == 422 && text.contains(reason), "{query}: {text}");
    }
}

#[test]
fn a_plan_is_repaired_and_judged() {
    let studio = Studio::start("1024");
    let problem = json!({"network": "dgx-1v", "collective": "all-gather"});
    let (before, _) =
        studio.finish(&json!({"kind": "throughput", "problem": problem, "bytes": "8MB"}));
    let repair =
        |faults: Value| studio.finish(&json!({"kind": "repair", "of": before, "faults": faults}));
    let (job, end) = repair(json!(["r0-r1"]));
    assert_eq!(end["state"], "done", "{end}");
    let data = studio.data(job);
    assert!(part(&data, "limit").starts_with("7/125 ns"), "{data}");
    assert!(part(&data, "before").starts_with("7/150 ns"), "{data}");
    assert!(part(&data, "plan").starts_with("repaired; attains the limit"), "{data}");
    assert!(part(&data, "trees").contains("of them still valid"), "{data}");
    let (_, _, plan) = studio.ask("GET", &format!("/api/jobs/{job}/download"), "");
    let plan: Value = strict_json::from_slice(&plan).unwrap();
    assert_eq!(plan["network"]["faults"], json!(["0-1"]));
    let keeping = |keep: u64| {
        studio.finish(&json!({"kind": "repair", "of": before, "faults": ["r0-r1"], "keep": keep}))
    };
    assert_eq!(keeping(90).1["state"], "done");
    assert!(keeping(101).1["message"].as_str().unwrap().contains("per cent from 0 to 100"));
    for (faults, reason) in [(json!(["r0-r9"]), "routers are 0 to 7"), (json!(["what"]), "what")] {
        let (_, end) = repair(faults);
        assert_eq!(end["state"], "failed", "{end}");
        assert!(end["message"].as_str().unwrap().contains(reason), "{end}");
    }
}

#[test]
fn sizes_are_a_matrix() {
    let studio = Studio::start("1024");
    let problem = json!({"network": "path:3", "collective": "all-to-all"});
    let request = |sizes: &str, bytes: &str| {
        studio.finish(&json!({
            "kind": "throughput", "problem": problem, "sizes": sizes, "bytes": bytes,
            "bandwidth": "8GB/s", "latency": "0.5us",
        }))
    };
    let (job, end) = request("0,4096,0\n0,7,8192\n0,1024,0\n", "");
    assert_eq!(end["state"], "done", "{end}");
    assert!(part(&studio.data(job), "limit").starts_with("1.02 µs"));
    for (sizes, bytes, reason) in [
        ("0,1\n1,0", "", "sizes: it has 2 rows for 3 senders"),
        ("0,x", "", "sizes: line 1, column 2: \"x\" is not a whole number"),
        ("[[1],", "", "sizes: expected a list of rows"),
        ("0,1,1\n1,0,1\n1,1,0", "1GB", "bytes and sizes exclude each other"),
    ] {
        let (_, end) = request(sizes, bytes);
        assert!(end["message"].as_str().unwrap().starts_with(reason), "{end}");
    }
}

#[test]
fn the_cost_of_every_fault_is_computed() {
    let studio = Studio::start("1024");
    let request = |network: &str, of: &str| {
        let problem = json!({"network": network, "collective": "all-gather"});
        studio.finish(
            &json!({"kind": "fault-limits", "problem": problem, "of": of, "bandwidth": "10GB/s"}),
        )
    };
    let (job, end) = request("ring:4", "");
    assert_eq!(end["state"], "done", "{end}");
    let data = studio.data(job);
    let row = &data["rows"][0];
    assert_eq!((&row["count"], &row["ns_per_byte"]), (&json!(4), &json!("3/10")), "{data}");
    assert_eq!(row["cost_percent"], 50.0);
    let file = |to: &str| {
        let (status, _, body) = studio.ask("GET", &format!("/api/jobs/{job}/download?to={to}"), "");
        (status, String::from_utf8_lossy(&body).into_owned())
    };
    assert_eq!(file("svg").1.matches("-50.0 % bandwidth").count(), 4);
    assert_eq!(file("csv").1.lines().count(), 6);
    assert_eq!(file("png").0, 422);
    let (job, _) = request("path:3", "routers");
    let data = studio.data(job);
    assert_eq!(data["rows"][0]["note"], "disconnects 0 -> 2, 2 -> 0; missing: processor 1");
    let pairs = json!({"network": "ring:4", "collective": "broadcast"});
    let (pairs_job, end) =
        studio.finish(&json!({"kind": "fault-limits", "problem": pairs, "count": 2}));
    assert_eq!(end["state"], "done", "{end}");
    let counts = studio.data(pairs_job)["rows"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["count"].as_u64())
        .sum::<Option<u64>>();
    assert_eq!(counts, Some(6), "pairs of four links");
    let (_, end) = studio.finish(&json!({"kind": "fault-limits", "problem": pairs, "count": 5}));
    assert!(end["message"].as_str().unwrap().starts_with("count: a set of 5 faults"), "{end}");
    let (_, end) = request("ring:4", "plugs");
    assert!(end["message"].as_str().unwrap().starts_with("of: \"plugs\" cannot fail"), "{end}");
    let (_, end) = studio.finish(&json!({"kind": "repair", "of": job, "faults": ["r0-r1"]}));
    assert!(end["message"].as_str().unwrap().contains("neither a schedule nor a plan"), "{end}");
}

#[test]
fn the_throughput_after_a_fault_is_that_of_the_broken_network() {
    let studio = Studio::start("1024");
    let problem = json!({"network": "ring:4", "collective": "all-gather"});
    let request =
        |faults| json!({"kind": "throughput", "problem": problem, "trees": "1", "faults": faults});
    for (faults, limit, missing) in
        [(json!(["r0-r1"]), "3 ns", ""), (json!(["r3"]), "2 ns", "processor 3")]
    {
        let (job, end) = studio.finish(&request(faults));
        assert_eq!(end["state"], "done", "{end}");
        let data = studio.data(job);
        assert!(part(&data, "limit").starts_with(limit), "{data}");
        assert!(part(&data, "note").contains("1 GB/s"), "{data}");
        assert_eq!(part(&data, "missing"), missing);
    }
}

#[test]
fn the_slot_table_of_a_ring_can_be_played_and_downloaded() {
    let studio = Studio::start("1024");
    let problem = json!({"network": "ring:4", "collective": "all-to-all"});
    let request = |more: Value| {
        let mut request = json!({"kind": "tdm", "problem": problem});
        request.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        request
    };
    let (job, end) = studio.finish(&request(json!({"traffic": "0,2,2\n2,0,1", "phits": "2"})));
    assert_eq!(
        (&end["state"], &end["best"], &end["bound"]),
        (&json!("done"), &json!(4), &json!(4))
    );
    let data = studio.data(job);
    assert_eq!(data["words"], json!(["slot", "receiver"]));
    assert_eq!(data["steps"].as_array().unwrap().len(), 4);
    for (format, name) in [
        ("json", "tdm-ring-4.json"),
        ("svg", "tdm-ring-4.svg"),
        ("html", "tdm-ring-4.html"),
        ("csv", "tdm-ring-4.csv"),
        ("systemverilog", "tdm-ring-4-systemverilog.tar"),
    ] {
        let place = format!("/api/jobs/{job}/download?to={format}");
        let (status, head, _) = studio.ask("GET", &place, "");
        assert!(status == 200 && head.contains(&format!("filename=\"{name}\"")), "{head}");
    }
    let (_, _, file) = studio.ask("GET", &format!("/api/jobs/{job}/download"), "");
    let schedule = pavane_model::tdm::read(&file[..], "file", 10).unwrap();
    assert!(pavane_verify::check_tdm(schedule).unwrap().is_optimal());
    assert_eq!(studio.ask("GET", &format!("/api/jobs/{job}/download?to=shd"), "").0, 422);
    let (_, end) = studio.finish(&json!({"kind": "repair", "of": job, "faults": ["r0-r1"]}));
    assert!(end["message"].as_str().unwrap().contains("neither a schedule nor a plan"), "{end}");
    for (more, part) in [
        (json!({"traffic": "0,9,1"}), "has no processor 9"),
        (json!({"depth": "deep"}), "depth: \"deep\" is not a whole number"),
        (json!({"phits": "0"}), "the number of phits is 0"),
    ] {
        let (_, end) = studio.finish(&request(more));
        assert!(end["message"].as_str().unwrap().contains(part), "{end}");
    }
}

#[test]
fn bad_throughput_requests_are_refused_with_a_reason() {
    let studio = Studio::start("1024");
    let ring = json!({"network": "ring:4", "collective": "all-gather"});
    let on = |network| json!({"network": network, "collective": "all-to-all"});
    for (problem, field, value, reason) in [
        (&ring, "bytes", json!("-3"), "bytes: \"-3\" is not a size: it is negative"),
        (&ring, "bytes", json!("lots"), "bytes: \"lots\" is not a size"),
        (&ring, "bandwidth", json!("fast"), "bandwidth: \"fast\" is not a bandwidth"),
        (&ring, "latency", json!("-1ns"), "latency: \"-1ns\" is not a time: it is negative"),
        (&ring, "trees", json!("0"), "trees: \"0\" is not a number of trees"),
        (&on("ring:4"), "trees", json!("2"), "trees: messages of all-to-all take paths"),
        (&ring, "faults", json!(["r0-r2"]), "no link from router 0 to router 2"),
        (&on("nowhere:4"), "bytes", json!("1GB"), "nowhere"),
        (&on("hypercube:9"), "bytes", json!("1GB"), "pavane throughput"),
        (&on("/etc/passwd"), "bytes", json!("1GB"), "\"/etc/passwd\""),
    ] {
        let (_, end) =
            studio.finish(&json!({"kind": "throughput", "problem": problem, field: value}));
        assert_eq!(end["state"], "failed", "{field} {value}: {end}");
        assert!(end["message"].as_str().unwrap().contains(reason), "{field} {value}: {end}");
    }
    let unknown = json!({"kind": "throughput", "problem": ring, "size": "1GB"}).to_string();
    let (status, _, body) = studio.ask("POST", "/api/jobs", &unknown);
    assert_eq!(status, 400);
    assert!(String::from_utf8_lossy(&body).contains("unknown field"));
}

#[test]
fn chunks_are_solved_and_their_gain_is_shown() {
    let studio = Studio::start("1024");
    let request = |chunks: &str| json!({"kind": "solve", "network": "ring:4", "collective": "all-gather", "chunks": chunks});
    let (job, end) = studio.finish(&request("2"));
    assert_eq!(end["state"], "done", "{end}");
    let summary = &studio.data(job)["summary"];
    assert_eq!(summary["steps"], 3);
    let gain = "2 per message: 3/2 steps per message; equals the throughput limit 3/2";
    assert_eq!(summary["chunks"], gain);
    let (job, _) = studio.finish(&request("auto"));
    assert_eq!(studio.data(job)["summary"]["chunks"], gain);
    let (job, _) = studio.finish(&request("1"));
    assert_eq!(studio.data(job)["summary"]["chunks"], Value::Null);
    for chunks in ["0", "4097", "-1", "many"] {
        let (_, end) = studio.finish(&request(chunks));
        let reason = format!("chunks: {chunks:?} is not a number from 1 to 4096, or auto");
        assert_eq!(end["message"], reason, "{end}");
    }
}
