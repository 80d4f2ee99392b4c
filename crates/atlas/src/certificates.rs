//! Certificates of bounds under an isomorphism. Refutations by a solver do not carry over, because their
//! formula names routers and channels by number.

use crate::images::Images;
use pavane_model::tdm::TdmCertificate;
use pavane_model::throughput::{LimitCertificate, PhaseCut, PhaseSwitch};
use pavane_model::timed::TimeCertificate;
use pavane_model::{Certificate, MessageId, NestedSet, Network, RouterId};

/// The certificate of a bound on steps.
pub fn steps(
    certificate: &Certificate,
    images: &Images,
    messages: &[MessageId],
    to: &Network,
) -> Option<Certificate> {
    let of_message = |message: &MessageId| messages.get(message.index()).copied();
    let by_router = |values: &[u64]| {
        let mut mapped = vec![0; to.router_count()];
        for (router, value) in (0..).map(RouterId).zip(values) {
            if let Some(image) = images.router(router) {
                mapped[image.index()] = *value;
            }
        }
        mapped
    };
    Some(match certificate {
        Certificate::Growth { message } => Certificate::Growth { message: of_message(message)? },
        Certificate::CutGrowth { message, routers } => Certificate::CutGrowth {
            message: of_message(message)?,
            routers: images.some_routers(routers),
        },
        Certificate::NestedGrowth { message, sets } => {
            let set = |set: &NestedSet| NestedSet {
                routers: images.some_routers(&set.routers),
                within: set.within,
            };
            let sets = sets.iter().map(set).collect();
            Certificate::NestedGrowth { message: of_message(message)?, sets }
        }
        Certificate::JointGrowth { routers } => {
            Certificate::JointGrowth { routers: images.some_routers(routers) }
        }
        Certificate::SendGrowth { processor, growth } => {
            Certificate::SendGrowth { processor: images.processor(*processor)?, growth: *growth }
        }
        Certificate::NeighbourGrowth { message } => {
            Certificate::NeighbourGrowth { message: of_message(message)? }
        }
        Certificate::LateEntry { routers } => {
            Certificate::LateEntry { routers: images.some_routers(routers) }
        }
        Certificate::Receive { processor } => {
            Certificate::Receive { processor: images.processor(*processor)? }
        }
        Certificate::Send { processor } => {
            Certificate::Send { processor: images.processor(*processor)? }
        }
        Certificate::Distance => Certificate::Distance,
        Certificate::PortDistance => Certificate::PortDistance,
        Certificate::Eccentricity { message, to } => {
            Certificate::Eccentricity { message: of_message(message)?, to: images.processor(*to)? }
        }
        Certificate::Ball { processor, radius } => {
            Certificate::Ball { processor: images.processor(*processor)?, radius: *radius }
        }
        Certificate::SendBall { processor, radius } => {
            Certificate::SendBall { processor: images.processor(*processor)?, radius: *radius }
        }
        Certificate::Cut { routers } => Certificate::Cut { routers: images.some_routers(routers) },
        Certificate::CutQueue { routers } => {
            Certificate::CutQueue { routers: images.some_routers(routers) }
        }
        Certificate::Relay { router } => Certificate::Relay { router: images.router(*router)? },
        Certificate::Separator { routers } => {
            Certificate::Separator { routers: images.some_routers(routers) }
        }
        Certificate::Branches { message } => {
            Certificate::Branches { message: of_message(message)? }
        }
        Certificate::IndependentSet { processors } => {
            Certificate::IndependentSet { processors: images.group(processors)? }
        }
        Certificate::Congestion { prices } => {
            Certificate::Congestion { prices: images.by_channel(prices) }
        }
        Certificate::PortCongestion { channels, sends, receives } => Certificate::PortCongestion {
            channels: images.by_channel(channels),
            sends: by_router(sends),
            receives: by_router(receives),
        },
        Certificate::Exact { .. } => return None,
    })
}

/// The certificate of a throughput limit.
pub fn limit(certificate: &LimitCertificate, images: &Images) -> Option<LimitCertificate> {
    Some(match certificate {
        LimitCertificate::Cut { routers } => {
            LimitCertificate::Cut { routers: images.some_routers(routers) }
        }
        LimitCertificate::Cuts { cuts, switches } => {
            let cut = |cut: &PhaseCut| PhaseCut {
                routers: images.some_routers(&cut.routers),
                ..cut.clone()
            };
            let switch = |switch: &PhaseSwitch| {
                Some(PhaseSwitch { router: images.router(switch.router)?, ..*switch })
            };
            LimitCertificate::Cuts {
                cuts: cuts.iter().map(cut).collect(),
                switches: switches.iter().map(switch).collect::<Option<_>>()?,
            }
        }
        LimitCertificate::Prices { prices } => {
            LimitCertificate::Prices { prices: images.by_channel(prices) }
        }
    })
}

/// The certificate of a bound on time.
pub fn time(certificate: &TimeCertificate, images: &Images) -> Option<TimeCertificate> {
    Some(match certificate {
        TimeCertificate::Cut { routers, receiver } => TimeCertificate::Cut {
            routers: images.some_routers(routers),
            receiver: images.processor(*receiver)?,
        },
        TimeCertificate::Prices { prices } => {
            TimeCertificate::Prices { prices: images.by_channel(prices) }
        }
        TimeCertificate::Roots => TimeCertificate::Roots,
        TimeCertificate::Throughput { limit: certificate } => {
            TimeCertificate::Throughput { limit: limit(certificate, images)? }
        }
    })
}

/// The certificate of a bound on the period of a TDM schedule.
pub fn tdm(certificate: &TdmCertificate, images: &Images) -> Option<TdmCertificate> {
    Some(match certificate {
        TdmCertificate::Ports { processor, direction, hops } => TdmCertificate::Ports {
            processor: images.processor(*processor)?,
            direction: *direction,
            hops: *hops,
        },
        TdmCertificate::Capacity {} => TdmCertificate::Capacity {},
        TdmCertificate::Cut { routers } => {
            TdmCertificate::Cut { routers: images.some_routers(routers) }
        }
        TdmCertificate::Prices { prices } => {
            TdmCertificate::Prices { prices: images.by_channel(prices) }
        }
        TdmCertificate::Residue {} => TdmCertificate::Residue {},
        TdmCertificate::Offsets { hops } => TdmCertificate::Offsets { hops: *hops },
        TdmCertificate::Latency { from, to } => {
            TdmCertificate::Latency { from: images.processor(*from)?, to: images.processor(*to)? }
        }
        TdmCertificate::Exact(_) => return None,
    })
}
