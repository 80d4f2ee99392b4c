//! The open connections of the studio, and which of them are closed if there are too many.
//!
//! A connection is *new* until a request on it presents the token. After that it is *busy* while
//! such a request is answered, and *idle* in between. Each group has its own limit, so connections
//! without the token cannot displace those with it. If the group of new or idle connections is
//! full, its oldest member is closed, so a new connection is always accepted. Busy connections are
//! never closed; above their limit, requests are refused.

use axum::body::{Body, Bytes};
use axum::response::Response;
use hyper::body::{Body as HttpBody, Frame, SizeHint};
use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use tokio::task::AbortHandle;

/// Limits of the groups. Together they stay below 1024, the usual limit on open files.
pub const MOST_NEW: usize = 512;
pub const MOST_IDLE: usize = 64;
pub const MOST_BUSY: usize = 128;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Group {
    New,
    Idle,
    Busy,
}

/// All open connections.
#[derive(Clone, Default)]
pub struct Connections {
    table: Arc<Mutex<ConnectionTable>>,
}

#[derive(Default)]
struct ConnectionTable {
    /// Logical clock: counts new connections and changes of group.
    clock: u64,
    open: BTreeMap<u64, OpenConnection>,
}

struct OpenConnection {
    has_token: bool,
    /// Number of requests with the token that are being answered.
    requests: usize,
    /// When the connection joined its group, by the logical clock.
    since: u64,
    /// The task that serves the connection.
    task: Option<AbortHandle>,
}

impl OpenConnection {
    fn group(&self) -> Group {
        if self.requests > 0 {
            Group::Busy
        } else if self.has_token {
            Group::Idle
        } else {
            Group::New
        }
    }
}

impl ConnectionTable {
    fn tick(&mut self) -> u64 {
        self.clock += 1;
        self.clock
    }

    fn count(&self, group: Group) -> usize {
        self.open.values().filter(|entry| entry.group() == group).count()
    }

    /// Closes the connections that have been in a group the longest.
    fn close_oldest(&mut self, group: Group, count: usize) {
        for _ in 0..count {
            let members = self.open.iter().filter(|(_, entry)| entry.group() == group);
            let oldest = members.min_by_key(|(_, entry)| entry.since).map(|(&id, _)| id);
            let entry = oldest.and_then(|id| self.open.remove(&id));
            if let Some(task) = entry.and_then(|entry| entry.task) {
                task.abort();
            }
        }
    }
}

impl Connections {
    fn lock(&self) -> MutexGuard<'_, ConnectionTable> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Registers a new connection and closes the oldest new one if there are too many.
    pub fn open(&self) -> Connection {
        let mut table = self.lock();
        let id = table.tick();
        table
            .open
            .insert(id, OpenConnection { has_token: false, requests: 0, since: id, task: None });
        let excess = table.count(Group::New).saturating_sub(MOST_NEW);
        table.close_oldest(Group::New, excess);
        Connection { connections: self.clone(), id }
    }

    /// Closes a quarter of the new connections, or of the idle ones if none are new, to free file
    /// descriptors.
    pub fn shed(&self) {
        let mut table = self.lock();
        let group = if table.count(Group::New) > 0 { Group::New } else { Group::Idle };
        let count = table.count(group).div_ceil(4);
        table.close_oldest(group, count);
    }
}

/// An open connection. It stays registered until this value is dropped.
pub struct Connection {
    connections: Connections,
    id: u64,
}

impl Connection {
    /// Sets the task to abort when this connection is to be closed.
    pub fn set_task(&self, task: AbortHandle) {
        match self.connections.lock().open.get_mut(&self.id) {
            Some(entry) => entry.task = Some(task),
            None => task.abort(),
        }
    }

    /// Marks the start of a request with the token. `None` if too many are being answered, or if
    /// this connection is about to be closed.
    pub fn start_request(self: &Arc<Self>) -> Option<ActiveRequest> {
        let mut table = self.connections.lock();
        if table.count(Group::Busy) >= MOST_BUSY {
            return None;
        }
        let entry = table.open.get_mut(&self.id)?;
        entry.has_token = true;
        entry.requests += 1;
        Some(ActiveRequest { connection: self.clone() })
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.connections.lock().open.remove(&self.id);
    }
}

/// A request with the token. Its connection is busy until this value is dropped.
pub struct ActiveRequest {
    connection: Arc<Connection>,
}

impl ActiveRequest {
    /// Keeps the connection busy until the whole response is sent.
    pub fn until_sent(self, response: Response) -> Response {
        response.map(|body| Body::new(TrackedBody { body, _request: self }))
    }
}

impl Drop for ActiveRequest {
    fn drop(&mut self) {
        let mut table = self.connection.connections.lock();
        let now = table.tick();
        let Some(entry) = table.open.get_mut(&self.connection.id) else { return };
        entry.requests -= 1;
        entry.since = now;
        let excess = table.count(Group::Idle).saturating_sub(MOST_IDLE);
        table.close_oldest(Group::Idle, excess);
    }
}

/// A response body that keeps its connection busy.
struct TrackedBody {
    body: Body,
    _request: ActiveRequest,
}

impl HttpBody for TrackedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open(connections: &Connections, count: usize) -> Vec<Arc<Connection>> {
        (0..count).map(|_| Arc::new(connections.open())).collect()
    }

    fn is_open(connection: &Connection) -> bool {
        connection.connections.lock().open.contains_key(&connection.id)
    }

    #[test]
    fn the_oldest_connection_without_the_token_is_closed() {
        let connections = Connections::default();
        let owner = open(&connections, 1).remove(0);
        drop(owner.start_request().unwrap());
        let strangers = open(&connections, MOST_NEW);
        assert!(strangers.iter().all(|stranger| is_open(stranger)));
        let late = open(&connections, 2);
        assert!(late.iter().all(|stranger| is_open(stranger)));
        let closed = strangers.iter().take_while(|stranger| !is_open(stranger)).count();
        assert_eq!(closed, 2);
        assert!(is_open(&owner) && is_open(&strangers[2]));
        // A connection that was closed meanwhile cannot start a request.
        assert!(strangers[0].start_request().is_none());
    }

    #[test]
    fn busy_connections_are_kept_and_limited() {
        let connections = Connections::default();
        let owners = open(&connections, MOST_BUSY + 1);
        let mut requests: Vec<ActiveRequest> =
            owners[..MOST_BUSY].iter().map(|owner| owner.start_request().unwrap()).collect();
        assert!(owners[MOST_BUSY].start_request().is_none());
        (0..10).for_each(|_| connections.shed());
        assert!(owners[..MOST_BUSY].iter().all(|owner| is_open(owner)));
        assert!(!is_open(&owners[MOST_BUSY]));
        // The connection whose request ended first has been idle the longest.
        drop(requests.pop());
        requests.truncate(MOST_BUSY - 1 - MOST_IDLE);
        assert!(!is_open(&owners[MOST_BUSY - 1]));
        assert_eq!(connections.lock().count(Group::Idle), MOST_IDLE);
        assert_eq!(connections.lock().count(Group::Busy), MOST_BUSY - 1 - MOST_IDLE);
    }

    #[test]
    fn closed_connections_are_forgotten() {
        let connections = Connections::default();
        let some = open(&connections, 3);
        let request = some[0].start_request().unwrap();
        drop(some);
        assert_eq!(connections.lock().open.len(), 1);
        drop(request);
        assert!(connections.lock().open.is_empty());
    }
}
