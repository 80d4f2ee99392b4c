//! Networks by name: one file and one entry of [`FAMILIES`] per network family. A specification has
//! the form `name:parameters`; a suffix `@K` replaces each processor by K processors.

mod amp;
mod butterfly;
mod ccc;
mod circulant;
mod clusters;
mod coated_mesh;
mod complete;
mod de_bruijn;
mod dragonfly;
mod error;
mod fat_tree;
mod finite_field;
mod folded_hypercube;
mod generalized_kautz;
mod grid;
mod heawood;
mod hoffman_singleton;
mod hypercube;
mod hyperx;
mod jellyfish;
mod k_ary_n_tree;
mod kautz;
mod machines;
mod mesh;
mod midimew;
mod names;
mod octagon;
mod omega;
mod parameters;
mod path;
mod petersen;
mod random_regular;
mod ring;
mod slim_fly;
mod star;
mod torus;
mod tree;
mod unidirectional_torus;

pub use error::TopologyError;

use parameters::Parameters;
use pavane_model::network::{LARGEST, Network};
use pavane_model::words::{excerpt, nearest};

/// A family of networks.
#[derive(Debug)]
pub struct Family {
    /// Its name.
    pub name: &'static str,
    /// Alternative names.
    pub aliases: &'static [&'static str],
    /// Its syntax, with the names of its parameters.
    pub usage: &'static str,
    /// A valid specification.
    pub example: &'static str,
    /// A description in one line.
    pub description: &'static str,
    build: fn(&Parameters<'_>) -> Result<Network, TopologyError>,
}

/// All network families.
pub static FAMILIES: &[Family] = &[
    Family {
        name: "ring",
        aliases: &["cycle"],
        usage: "ring:n",
        example: "ring:8",
        description: "n routers in a circle",
        build: ring::build,
    },
    Family {
        name: "path",
        aliases: &["line", "linear-array"],
        usage: "path:n",
        example: "path:8",
        description: "n routers in a row",
        build: path::build,
    },
    Family {
        name: "star",
        aliases: &[],
        usage: "star:n",
        example: "star:8",
        description: "router 0 linked to each of the n-1 others",
        build: star::build,
    },
    Family {
        name: "complete",
        aliases: &["clique"],
        usage: "complete:n",
        example: "complete:8",
        description: "n routers, every two linked",
        build: complete::build,
    },
    Family {
        name: "tree",
        aliases: &[],
        usage: "tree:b,depth",
        example: "tree:2,3",
        description: "a root, and b children for every router above the last level",
        build: tree::build,
    },
    Family {
        name: "mesh",
        aliases: &["grid"],
        usage: "mesh:AxBx...",
        example: "mesh:4x4",
        description: "a grid with any number of dimensions; the last coordinate varies fastest",
        build: mesh::build,
    },
    Family {
        name: "torus",
        aliases: &[],
        usage: "torus:AxBx...",
        example: "torus:4x4",
        description: "a mesh whose rows are rings",
        build: torus::build,
    },
    Family {
        name: "unidirectional-torus",
        aliases: &["directed-torus"],
        usage: "unidirectional-torus:AxBx...",
        example: "unidirectional-torus:4x4",
        description: "directed; a mesh whose rows are rings with channels in one direction",
        build: unidirectional_torus::build,
    },
    Family {
        name: "hypercube",
        aliases: &["cube"],
        usage: "hypercube:d",
        example: "hypercube:4",
        description: "2^d routers, linked where the numbers differ in one bit",
        build: hypercube::build,
    },
    Family {
        name: "folded-hypercube",
        aliases: &["k-ring"],
        usage: "folded-hypercube:d",
        example: "folded-hypercube:4",
        description: "a hypercube with added links between numbers that differ in all bits",
        build: folded_hypercube::build,
    },
    Family {
        name: "octagon",
        aliases: &["spidergon", "mobius", "mobius-ladder", "twisted-ladder"],
        usage: "octagon:n with n = 8, 12, 16, ...",
        example: "octagon:8",
        description: "a ring with links across to the router opposite",
        build: octagon::build,
    },
    Family {
        name: "coated-mesh",
        aliases: &[],
        usage: "coated-mesh:AxB",
        example: "coated-mesh:4x4",
        description: "AxB routers with 2(A+B) processors around them, clockwise from the top left",
        build: coated_mesh::build,
    },
    Family {
        name: "kautz",
        aliases: &[],
        usage: "kautz:d,D",
        example: "kautz:3,2",
        description: "directed; words of length D over d+1 letters without equal neighbours",
        build: kautz::build,
    },
    Family {
        name: "generalized-kautz",
        aliases: &["imase-itoh"],
        usage: "generalized-kautz:N,d",
        example: "generalized-kautz:10,3",
        description: "directed; u to -d*u-a mod N for a = 1 to d",
        build: generalized_kautz::build,
    },
    Family {
        name: "de-bruijn",
        aliases: &["debruijn"],
        usage: "de-bruijn:d,D",
        example: "de-bruijn:2,3",
        description: "directed; words of length D over d letters",
        build: de_bruijn::build,
    },
    Family {
        name: "petersen",
        aliases: &[],
        usage: "petersen",
        example: "petersen",
        description: "the Moore graph of degree 3: 10 routers at most 2 hops apart",
        build: petersen::build,
    },
    Family {
        name: "heawood",
        aliases: &[],
        usage: "heawood",
        example: "heawood",
        description: "the cage of degree 3 and girth 6: 14 routers at most 3 hops apart",
        build: heawood::build,
    },
    Family {
        name: "hoffman-singleton",
        aliases: &[],
        usage: "hoffman-singleton",
        example: "hoffman-singleton",
        description: "the Moore graph of degree 7: 50 routers at most 2 hops apart",
        build: hoffman_singleton::build,
    },
    Family {
        name: "amp",
        aliases: &[],
        usage: "amp:n with n = 5, 8, 12, 13, ..., 256",
        example: "amp:8",
        description: "four links per router, two ports reserved for a controller, least average distance",
        build: amp::build,
    },
    Family {
        name: "midimew",
        aliases: &[],
        usage: "midimew:N",
        example: "midimew:16",
        description: "the circulant network of degree 4 with the least distances",
        build: midimew::build,
    },
    Family {
        name: "circulant",
        aliases: &[],
        usage: "circulant:n,a,b,...",
        example: "circulant:13,1,5",
        description: "router i linked to i+a, i-a, i+b, i-b, ...",
        build: circulant::build,
    },
    Family {
        name: "ccc",
        aliases: &["cube-connected-cycles"],
        usage: "ccc:d",
        example: "ccc:3",
        description: "a hypercube whose corners are rings of d",
        build: ccc::build,
    },
    Family {
        name: "butterfly",
        aliases: &[],
        usage: "butterfly:d",
        example: "butterfly:3",
        description: "d+1 ranks of 2^d routers, processors on rank 0",
        build: butterfly::build,
    },
    Family {
        name: "fat-tree",
        aliases: &[],
        usage: "fat-tree:k with k even",
        example: "fat-tree:4",
        description: "three tiers of k-port switches, k^3/4 processors",
        build: fat_tree::build,
    },
    Family {
        name: "k-ary-n-tree",
        aliases: &[],
        usage: "k-ary-n-tree:k,n",
        example: "k-ary-n-tree:2,3",
        description: "n levels of k^(n-1) switches, k^n processors",
        build: k_ary_n_tree::build,
    },
    Family {
        name: "omega",
        aliases: &[],
        usage: "omega:d",
        example: "omega:3",
        description: "directed; d shuffled stages of 2x2 switches, 2^d processors",
        build: omega::build,
    },
    Family {
        name: "dragonfly",
        aliases: &[],
        usage: "dragonfly:p,a,h",
        example: "dragonfly:2,4,2",
        description: "a*h+1 groups of a routers with p processors and h links out of the group each",
        build: dragonfly::build,
    },
    Family {
        name: "hyperx",
        aliases: &["hamming", "flattened-butterfly"],
        usage: "hyperx:AxBx...",
        example: "hyperx:4x4",
        description: "a grid whose rows are complete graphs",
        build: hyperx::build,
    },
    Family {
        name: "slim-fly",
        aliases: &["slimfly", "mms"],
        usage: "slim-fly:q with q a power of a prime from 3",
        example: "slim-fly:5",
        description: "2*q^2 routers at most 2 hops apart",
        build: slim_fly::build,
    },
    Family {
        name: "jellyfish",
        aliases: &[],
        usage: "jellyfish:n,r,seed",
        example: "jellyfish:20,4,1",
        description: "n switches with r links each, random from the seed",
        build: jellyfish::build,
    },
    Family {
        name: "random-regular",
        aliases: &[],
        usage: "random-regular:n,r,seed",
        example: "random-regular:16,4,1",
        description: "n routers with r links each, random from the seed, connected",
        build: random_regular::build,
    },
    Family {
        name: "dgx-1v",
        aliases: &["dgx1v"],
        usage: "dgx-1v",
        example: "dgx-1v",
        description: "8 GPUs with six NVLinks each, some parallel",
        build: machines::dgx_1v,
    },
    Family {
        name: "dgx-a100",
        aliases: &[],
        usage: "dgx-a100 or dgx-a100:K",
        example: "dgx-a100",
        description: "8 GPUs with two links to each of 6 switches; K boxes of 8 GPUs at one switch, joined by 2 switches",
        build: clusters::dgx_a100,
    },
    Family {
        name: "dgx-h100",
        aliases: &[],
        usage: "dgx-h100 or dgx-h100:K",
        example: "dgx-h100",
        description: "8 GPUs with 5, 4, 4 and 5 links to 4 switches; K boxes of 8 GPUs at one switch, joined by 8 rails and a spine",
        build: clusters::dgx_h100,
    },
    Family {
        name: "dgx2",
        aliases: &["dgx-2"],
        usage: "dgx2:K with K = 1 or 2",
        example: "dgx2:2",
        description: "K boxes of 16 GPUs at one switch; channels between GPUs of two boxes",
        build: clusters::dgx2,
    },
    Family {
        name: "ndv2",
        aliases: &[],
        usage: "ndv2:K",
        example: "ndv2:2",
        description: "K boxes like dgx-1v; GPU 0 of a box sends to the others, GPU 1 receives",
        build: clusters::ndv2,
    },
    Family {
        name: "mi250",
        aliases: &[],
        usage: "mi250:K",
        example: "mi250:2",
        description: "K boxes of 16 dies with one to four links between two of them, on one switch",
        build: clusters::mi250,
    },
    Family {
        name: "nvl72",
        aliases: &[],
        usage: "nvl72",
        example: "nvl72",
        description: "72 GPUs with one link to each of 18 switches",
        build: machines::nvl72,
    },
    Family {
        name: "mi300x",
        aliases: &[],
        usage: "mi300x:n with n = 2 to 8",
        example: "mi300x:8",
        description: "accelerators, every two linked",
        build: machines::mi300x,
    },
    Family {
        name: "tpu",
        aliases: &[],
        usage: "tpu:AxBxC",
        example: "tpu:4x4x4",
        description: "a torus of three sides",
        build: machines::tpu,
    },
];

/// Builds the network of a specification such as `torus:4x4@2`.
///
/// ```
/// let network = pavane_networks::topology::build("torus:4x4@2")?;
/// assert_eq!((network.router_count(), network.channel_count()), (16, 64));
/// assert_eq!(network.processor_count(), 32);
/// # Ok::<(), pavane_networks::topology::TopologyError>(())
/// ```
pub fn build(spec: &str) -> Result<Network, TopologyError> {
    build_within(spec, LARGEST)
}

/// As [`build`], with a limit on the number of routers, channels and processors. A larger network
/// is refused before memory is allocated for it.
pub fn build_within(spec: &str, most: u64) -> Result<Network, TopologyError> {
    let spec = spec.trim();
    let (rest, fat) = match spec.split_once('@') {
        Some((rest, fat)) => (rest, Some(fat)),
        None => (spec, None),
    };
    let (name, text) = match rest.split_once(':') {
        Some((name, text)) => (name, Some(text)),
        None => (rest, None),
    };
    let family = find(name)?;
    let mut parameters = Parameters::new(spec, family, text, most);
    if let Some(fat) = fat {
        parameters.set_fat(fat)?;
    }
    let network = (family.build)(&parameters)?;
    match parameters.fat() {
        1 => Ok(network),
        fat => Ok(network.with_fat_nodes(fat)?),
    }
}

/// Finds a family by name or alias.
pub fn find(name: &str) -> Result<&'static Family, TopologyError> {
    let names = || {
        let named = |family: &'static Family| {
            let all = [family.name].into_iter().chain(family.aliases.iter().copied());
            all.map(move |name| (name, family))
        };
        FAMILIES.iter().flat_map(named)
    };
    let asked = name.trim().to_ascii_lowercase();
    if let Some((_, family)) = names().find(|(known, _)| *known == asked) {
        return Ok(family);
    }
    // Nothing is near an empty name or a path.
    let is_word = asked.contains(char::is_alphanumeric) && !asked.contains(['/', '\\']);
    let nearest = if is_word {
        nearest(name, names().map(|(known, family)| (known, family.name)))
    } else {
        "write a name such as torus:8x8".to_owned()
    };
    Err(TopologyError::Unknown { name: excerpt(name).into_owned(), nearest })
}

#[cfg(test)]
mod tests;
