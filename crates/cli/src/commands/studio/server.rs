//! The server: accepts connections and serves each in its own task, with limits on time, size and
//! number.

use super::connections::Connections;
use super::{Studio, routes};
use axum::Router;
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use std::io::{self, ErrorKind};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpSocket, TcpStream};

/// Maximum size of a request line with its headers, in bytes.
const MOST_HEADER_BYTES: usize = 32 << 10;

/// Maximum number of bytes that a connection buffers in each direction.
const MOST_BUFFERED: usize = 64 << 10;

/// Pause after a failed accept.
const RETRY: Duration = Duration::from_millis(10);

/// Length of the accept queue. The default of 128 fills up quickly under load, and a client that is
/// dropped then retries only after a second.
const BACKLOG: u32 = 1024;

/// Limits on how long a client may take.
#[derive(Debug, Clone, Copy)]
pub struct Timeouts {
    /// From the start of a connection, or the last response on it, to the end of the next request's
    /// headers.
    pub headers: Duration,
    /// For the body of a request with the token.
    pub body: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self { headers: Duration::from_secs(15), body: Duration::from_secs(60) }
    }
}

/// Listens at an address.
pub fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    // Allows immediate reuse of the port. On Windows this option would let other programs take the
    // port over.
    if cfg!(unix) {
        socket.set_reuseaddr(true)?;
    }
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

/// Serves forever.
pub async fn serve<T>(listener: TcpListener, studio: Arc<Studio>) -> T {
    let timeouts = studio.timeouts;
    let router = routes::all(studio);
    let connections = Connections::default();
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new())
        .header_read_timeout(timeouts.headers)
        .max_header_size(MOST_HEADER_BYTES)
        .max_buf_size(MOST_BUFFERED);
    loop {
        match listener.accept().await {
            Ok((stream, _)) => spawn(&http, stream, &connections, router.clone()),
            Err(error) if is_of_the_client(error.kind()) => {}
            // Out of file descriptors or memory.
            Err(_) => {
                connections.shed();
                tokio::time::sleep(RETRY).await;
            }
        }
    }
}

/// Whether the error affects only the connection being accepted.
fn is_of_the_client(kind: ErrorKind) -> bool {
    use ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    matches!(kind, ConnectionAborted | ConnectionRefused | ConnectionReset)
}

fn spawn(http: &http1::Builder, stream: TcpStream, connections: &Connections, router: Router) {
    let connection = Arc::new(connections.open());
    let own = connection.clone();
    let router = TowerToHyperService::new(router);
    // The gate finds the connection in the extensions of the request.
    let service = service_fn(move |mut request: hyper::Request<hyper::body::Incoming>| {
        request.extensions_mut().insert(own.clone());
        router.call(request)
    });
    let task = tokio::spawn(http.serve_connection(TokioIo::new(stream), service));
    connection.set_task(task.abort_handle());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::studio::request::JobRequest;
    use std::io::{Read, Write};
    use std::net;
    use tokio::runtime::Runtime;

    const SHORT: Duration = Duration::from_secs(1);
    const LONG: Duration = Duration::from_secs(60);

    /// A studio without workers, served until the runtime is dropped.
    fn start(timeouts: Timeouts) -> (Runtime, Arc<Studio>, SocketAddr) {
        let mut runtime = tokio::runtime::Builder::new_multi_thread();
        let runtime = runtime.worker_threads(1).enable_all().build().unwrap();
        let listener = runtime.block_on(async { listen("127.0.0.1:0".parse().unwrap()) }).unwrap();
        let address = listener.local_addr().unwrap();
        let studio = Arc::new(Studio::new(address, 0, LONG, timeouts));
        runtime.spawn(serve::<()>(listener, studio.clone()));
        (runtime, studio, address)
    }

    fn connect(address: SocketAddr) -> net::TcpStream {
        let stream = net::TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(LONG)).unwrap();
        stream
    }

    /// The head of a request with the token.
    fn head(studio: &Studio, address: SocketAddr, line: &str, more: &str) -> String {
        let token = studio.gate.token();
        format!("{line}?token={token} HTTP/1.1\r\nHost: {address}\r\n{more}\r\n")
    }

    #[test]
    fn slow_headers_and_idle_connections_are_cut() {
        let (_runtime, studio, address) = start(Timeouts { headers: SHORT, body: LONG });
        // Sends byte after byte at short intervals.
        let mut slow = connect(address);
        slow.write_all(b"GET / HTTP/1.1\r\nX-Slow: ").unwrap();
        let is_cut = (0..1000).any(|_| {
            std::thread::sleep(Duration::from_millis(20));
            slow.write_all(b"x").is_err()
        });
        assert!(is_cut);
        // Stays idle after a response.
        let mut idle = connect(address);
        idle.write_all(head(&studio, address, "GET /api/choices", "").as_bytes()).unwrap();
        let mut answer = String::new();
        idle.read_to_string(&mut answer).unwrap();
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    }

    #[test]
    fn slow_bodies_are_refused() {
        let (_runtime, studio, address) = start(Timeouts { headers: LONG, body: SHORT });
        let mut slow = connect(address);
        let head = head(&studio, address, "POST /api/jobs", "Content-Length: 100\r\n");
        slow.write_all((head + "{").as_bytes()).unwrap();
        let mut answer = String::new();
        slow.read_to_string(&mut answer).unwrap();
        assert!(answer.starts_with("HTTP/1.1 408"), "{answer}");
    }

    #[test]
    fn streams_of_events_outlast_the_timeouts() {
        let (_runtime, studio, address) = start(Timeouts { headers: SHORT, body: SHORT });
        let job = studio
            .queue
            .add(JobRequest::Repair { of: 1, faults: Vec::new(), keep: None, keep_steps: false })
            .unwrap();
        let mut events = connect(address);
        let line = format!("GET /api/jobs/{}/events", job.id);
        events
            .write_all(head(&studio, address, &line, "Connection: close\r\n").as_bytes())
            .unwrap();
        let mut start = [0; 12];
        events.read_exact(&mut start).unwrap();
        assert_eq!(&start, b"HTTP/1.1 200");
        // Two connections, one after the other, that send nothing until they are closed.
        for _ in 0..2 {
            assert_eq!(connect(address).read(&mut start).unwrap(), 0);
        }
        studio.queue.cancel(&job);
        let mut news = String::new();
        events.read_to_string(&mut news).unwrap();
        assert!(news.contains("cancelled"), "{news}");
    }
}
