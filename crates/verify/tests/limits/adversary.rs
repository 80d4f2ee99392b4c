//! Claims that are small in a file and expensive to check, at least one for every kind of
//! certificate.

use pavane_model::{
    Bound, Certificate, CertificateKind, Collective, Kind, ListedMessage, MessageId, Model,
    NestedSet, Network, NetworkBuilder, Problem, ProcessorId, RouterId, Switching,
};

/// A claim that must be refused.
pub struct Adversary {
    pub problem: Problem,
    pub certificate: Certificate,
    /// Limit on operations; `None` for the default. An argument that visits every part of a problem
    /// a few times is refused only if the limit is below the number of parts.
    pub max_work: Option<u64>,
}

impl Adversary {
    pub fn bound(&self) -> Bound {
        Bound {
            steps: u32::MAX,
            reason: self.certificate.reason().to_owned(),
            explanation: String::new(),
            certificate: Some(self.certificate.clone()),
        }
    }

    /// Number of parts of the problem.
    pub fn parts(&self) -> u64 {
        let (network, messages) = (self.problem.network(), self.problem.messages());
        let of_network =
            network.router_count() + network.channel_count() + network.processor_count();
        (of_network + messages.len() + messages.delivery_count()) as u64
    }
}

/// Number of routers in most of the networks.
const ROUTERS: u32 = 200_000;

/// The claims for one kind of certificate.
pub fn of(kind: CertificateKind) -> Vec<Adversary> {
    let (message, processor) = (MessageId(0), ProcessorId(0));
    let half: Vec<RouterId> = (ROUTERS / 2..ROUTERS).map(RouterId).collect();
    let cheap = |certificate| {
        let problem = to_all();
        vec![Adversary { problem, certificate, max_work: Some(100_000) }]
    };
    let dear = |problem, certificate| vec![Adversary { problem, certificate, max_work: None }];
    match kind {
        CertificateKind::Growth => cheap(Certificate::Growth { message }),
        CertificateKind::CutGrowth => cheap(Certificate::CutGrowth { message, routers: half }),
        CertificateKind::JointGrowth => cheap(Certificate::JointGrowth { routers: half }),
        CertificateKind::NeighbourGrowth => cheap(Certificate::NeighbourGrowth { message }),
        CertificateKind::LateEntry => cheap(Certificate::LateEntry { routers: half }),
        CertificateKind::SendGrowth => cheap(Certificate::SendGrowth { processor, growth: 1 }),
        CertificateKind::Receive => cheap(Certificate::Receive { processor }),
        CertificateKind::Send => cheap(Certificate::Send { processor }),
        CertificateKind::Eccentricity => {
            cheap(Certificate::Eccentricity { message, to: ProcessorId(1) })
        }
        CertificateKind::Ball => cheap(Certificate::Ball { processor, radius: 1 }),
        CertificateKind::SendBall => cheap(Certificate::SendBall { processor, radius: 1 }),
        CertificateKind::Separator => cheap(Certificate::Separator { routers: half }),
        CertificateKind::Branches => cheap(Certificate::Branches { message }),
        CertificateKind::Cut => cheap(Certificate::Cut { routers: half }),
        CertificateKind::NestedGrowth => {
            let chain = |router| NestedSet {
                routers: vec![RouterId(router)],
                within: (router > 1).then(|| ROUTERS - router),
            };
            let sets = (1..ROUTERS).rev().map(chain).collect();
            dear(to_all(), Certificate::NestedGrowth { message, sets })
        }
        CertificateKind::Distance => dear(from_all(), Certificate::Distance),
        CertificateKind::PortDistance => dear(from_all(), Certificate::PortDistance),
        CertificateKind::Congestion => {
            dear(from_all(), Certificate::Congestion { prices: vec![1; 2 * ROUTERS as usize - 2] })
        }
        CertificateKind::PortCongestion => {
            let (channels, ports) = (vec![1; 2 * ROUTERS as usize - 2], vec![1; ROUTERS as usize]);
            let (sends, receives) = (ports.clone(), ports);
            dear(from_all(), Certificate::PortCongestion { channels, sends, receives })
        }
        CertificateKind::CutQueue => dear(across(), Certificate::CutQueue { routers: half }),
        CertificateKind::Relay => {
            dear(across(), Certificate::Relay { router: RouterId(ROUTERS / 2) })
        }
        CertificateKind::IndependentSet => {
            let processors = (0..30_000).map(ProcessorId).collect();
            dear(on_one_router(30_000), Certificate::IndependentSet { processors })
        }
        CertificateKind::Exact => {
            let exact = |steps| Certificate::Exact { steps, encoding: 1, proof: "x".to_owned() };
            let long = dear(on_one_router(3), exact(100_000_000));
            let wide = dear(to_all(), exact(1));
            let fat = dear(on_one_router(200_000), exact(1));
            long.into_iter().chain(wide).chain(fat).collect()
        }
    }
}

fn stored(network: Network, collective: Collective) -> Problem {
    let model = Model { switching: Switching::StoreAndForward, ..Model::default() };
    let model = Model { ports: pavane_model::Ports::Limited(1), ..model };
    Problem::new(network, collective, model).expect("every processor is reached")
}

fn path() -> Network {
    let mut builder = NetworkBuilder::new("path", ROUTERS);
    (1..ROUTERS).for_each(|router| {
        builder.link(router - 1, router);
    });
    builder.processor_on_each_router();
    builder.build().expect("a path is a network")
}

fn all(processors: u32) -> Vec<ProcessorId> {
    (0..processors).map(ProcessorId).collect()
}

/// One message from the end of a path to all other processors.
fn to_all() -> Problem {
    let others = all(ROUTERS).split_off(1);
    let senders = vec![ProcessorId(0)];
    stored(path(), Collective::between(Kind::Broadcast, "oab", senders, others))
}

/// One message from every processor, which requires a search from every router.
fn from_all() -> Problem {
    let receivers = vec![ProcessorId(0)];
    stored(path(), Collective::between(Kind::Scatter, "scatter", all(ROUTERS), receivers))
}

/// Messages from one half of a path to the other, all with different endpoints.
fn across() -> Problem {
    let message = |from| ListedMessage {
        from: ProcessorId(from),
        to: vec![ProcessorId(ROUTERS / 2 + 1 + (7 * from) % (ROUTERS / 2 - 1))],
    };
    stored(path(), Collective::listed("across", (0..ROUTERS / 2).map(message).collect()))
}

/// One message to all processors of a single router.
fn on_one_router(processors: u32) -> Problem {
    let mut builder = NetworkBuilder::new("one router", 1);
    (0..processors).for_each(|_| {
        builder.processor(Some(0));
    });
    let network = builder.build().expect("it has a processor");
    let others = all(processors).split_off(1);
    stored(network, Collective::between(Kind::Broadcast, "oab", vec![ProcessorId(0)], others))
}
