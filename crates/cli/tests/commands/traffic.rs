//! Concurrent traffic and deadlock.

use super::{compare, run, snapshot};

#[test]
fn traffic() {
    snapshot(
        "traffic",
        &[
            "traffic run hypercube:3 --seed 2 --optimal",
            "traffic run path:3 --mission mission.csv --switching vct --json",
            "traffic run ring:6 --collective aas --switching cs --duplex full",
            "traffic run kautz:2,2 --routing dfs --policy lf --edd --window 30",
            "traffic run --schedule ring-oab.json --switching ms",
            "traffic run octagon:8 --collective aas --routing shortest --switching wormhole",
            "traffic compare hypercube:3 --missions 50 --optimal 50 --policy fifo,lbf --threads 1",
            "traffic compare hypercube:3 --missions 20 --routing e-cube,pa,dfs,cps --policy lbf --json",
            "traffic sweep hypercube:3 --missions 20 --switching sf --policy lbf --values 0.3,0.6",
            "traffic sweep hypercube:3 --over interval --duration 500 --warm-up 50 --switching store-and-forward --policy fifo --values 40",
            "traffic run fat-tree:4 --density 0.1 --policy sf",
            "traffic run ring:4 --collective all-gather",
            "traffic run ring:5 --switching wormhole --lanes 2 --buffer 4",
            "traffic run torus:3x3 --switching wormhole --lanes 3 --buffer 2 --routing escape --duplex full",
            "traffic run mesh:3x3 --switching wormhole --lanes 4 --duplex full --routing e-cube",
            "traffic run octagon:8 --switching wormhole --routing deadlock-free",
            "traffic run one-router.toml",
        ],
    );
}

/// Every switching has its own default routing, options without effect are refused, and overloaded
/// networks have no mean latency.
#[test]
fn traffic_defaults() {
    let times = "--duration 3000 --warm-up 300";
    let lines = [
        "traffic compare torus:5x5 --missions 5 --switching sf,wormhole,ms --policy lbf,lbf --threads 1"
            .to_owned(),
        format!(
            "traffic sweep mesh:4x4 --over interval --values 5,100 --policy fifo --switching sf {times}"
        ),
        format!("traffic sweep mesh:3x3 --over rate --values 0.1 --hot-spots 1 {times}"),
        "traffic sweep mesh:3x3 --over rate --missions 5".to_owned(),
        "traffic sweep mesh:3x3 --over rate --optimal 5".to_owned(),
        "traffic sweep mesh:3x3 --over interval --permutation".to_owned(),
        "traffic sweep mesh:3x3 --flits 5".to_owned(),
        "traffic sweep mesh:3x3 --over rate --drain 0".to_owned(),
        "traffic run mesh:3x3 --lanes 4".to_owned(),
        "traffic compare mesh:3x3 --lanes 4 --switching vct,cs".to_owned(),
        "traffic sweep mesh:3x3 --density 0.5".to_owned(),
        "traffic run kautz:2,3 --switching wormhole --duplex full".to_owned(),
        "deadlock octagon:8 --routing dateline".to_owned(),
        // A mesh without one of its links is still a mesh.
        "traffic run mesh:3x3 --fault 0,0-0,1 --density 0.1".to_owned(),
        "traffic sweep mesh:3x3 --svg curves.png".to_owned(),
        "traffic sweep mesh:3x3 --over rate --svg curves.png".to_owned(),
        "traffic run mesh:3x3 --gantt gantt.xyz".to_owned(),
        "traffic run mesh:3x3 --gantt gantt.gif".to_owned(),
    ];
    compare("traffic-defaults", &lines.map(|line| run(&line)));
}

/// Load curves end at the saturation point.
#[test]
fn load_curves() {
    let times = "--duration 1200 --warm-up 200 --drain 1000";
    let lines = [
        format!("traffic sweep mesh:3x3 --over rate --values 0.2,0.6,0.9,1 {times}"),
        format!(
            "traffic sweep ring:5 --over rate --values 0.1,0.2 --routing dateline,escape --lanes 4 --json {times}"
        ),
        format!("traffic sweep ring:5 --over rate --values 0.1 --switching sf,vct --csv - {times}"),
        // The first rate saturates the network, and is halved.
        format!("traffic sweep ring:64 --over rate --values 0.5,1 --csv - {times}"),
        // Without datelines a ring deadlocks.
        format!(
            "traffic sweep ring:8 --over rate --values 0.5 --routing shortest --lanes 1 --buffer 2 {times}"
        ),
        "traffic sweep mesh:3x3 --over rate --values 0".to_owned(),
        "traffic sweep mesh:3x3 --over rate --values 2".to_owned(),
        "traffic sweep mesh:3x3 --over rate --values NaN".to_owned(),
        "traffic sweep mesh:3x3 --over rate --values 1e-12".to_owned(),
        "traffic sweep mesh:3x3 --over rate --duration 1e9".to_owned(),
        "traffic sweep path:2 --over rate --values 0.5 --fault 1".to_owned(),
        "traffic sweep mesh:3x3 --over rate --switching vct --buffer 4".to_owned(),
        "traffic sweep mesh:3x3 --over rate --warm-up 30000".to_owned(),
        "traffic sweep ring:5 --over rate --routing dateline --lanes 1".to_owned(),
        "traffic sweep mesh:3x3 --over rate --routing pa".to_owned(),
    ];
    compare("traffic-load", &lines.map(|line| run(&line)));
}

/// Missions and messages that do not finish are counted, have no mean, and set the exit code to 1.
#[test]
fn deadlocked_traffic() {
    let rules = "ring:5 --switching wormhole --routing shortest --policy fifo,lbf";
    let lines = [
        "traffic run ring:5 --switching wormhole --routing shortest".to_owned(),
        "traffic run ring:5 --switching wormhole --routing shortest --json".to_owned(),
        // No mission finishes; some do; all do.
        format!("traffic compare {rules} --missions 20 --optimal 3"),
        format!("traffic compare {rules} --missions 20 --window 30"),
        format!("traffic compare {rules} --missions 20 --duplex full --density 0.3"),
        format!("traffic compare {rules} --missions 20 --json"),
        format!("traffic sweep {rules} --missions 20 --values 0.1,0.3,0.9"),
        format!("traffic sweep {rules} --missions 20 --values 0.3,0.9 --json"),
        format!("traffic sweep {rules} --over interval --values 20,100"),
        // Some messages are delivered before the deadlock.
        format!("traffic sweep {rules} --over interval --values 60 --warm-up 0 --duration 4000"),
    ];
    compare("traffic-deadlock", &lines.map(|line| run(&line)));
}

/// A missing mean is a gap in the picture, not a zero.
#[test]
fn curves_of_deadlocked_traffic_have_gaps() {
    let line = "traffic sweep ring:5 --switching wormhole --routing shortest --policy lbf --missions 20 \
                --values 0.1,0.3,0.9,1 --svg -";
    let text = run(line);
    let lines: Vec<&str> = text.lines().filter(|line| line.contains("<polyline")).collect();
    // Two of four points remain, neither on the axis at y = 380.
    let [line] = lines[..] else { panic!("{text}") };
    assert_eq!(line.matches(',').count(), 2, "{line}");
    assert!(!line.contains(",380.0"), "{line}");
    assert_eq!(text.matches("<circle").count(), 2, "{text}");
    assert!(text.contains("wormhole shortest lbf: 46 missions unfinished (deadlock)"), "{text}");
    assert!(text.contains("[exit 1]"), "{text}");
}

#[test]
fn bad_traffic() {
    snapshot(
        "bad-traffic",
        &[
            "traffic run hypercube:3 --density 1.5",
            "traffic run hypercube:3 --density NaN",
            "traffic run hypercube:3 --mean -4",
            "traffic run hypercube:3 --length -4",
            "traffic run ring:4 --collective aas --length NaN",
            "traffic run ring:4 --collective aas --length 0",
            "traffic run ring:4 --collective aas --density 2",
            "traffic run --schedule ring-oab.json --length -3",
            "traffic run hypercube:3 --density 0",
            "traffic run hypercube:3 --policy best",
            "traffic run hypercube:3 --switching pigeon",
            "traffic run hypercube:3 --routing scenic",
            "traffic run petersen --routing e-cube",
            "traffic run hypercube:3 --routing pa --switching wormhole",
            "traffic run hypercube:3 --routing pa --switching wormhole --buffer 4",
            "traffic run ring:5 --routing dateline --switching wormhole --lanes 2",
            "traffic run ring:5 --routing escape --switching wormhole --lanes 2 --buffer 4",
            "traffic run petersen --routing dateline",
            "traffic run mesh:3x3 --buffer 4",
            "traffic run hypercube:7 --switching wormhole --buffer 2 --mean 100000",
            "traffic run hypercube:9 --switching wormhole --lanes 64 --buffer 65536",
            "traffic run hypercube:3 --hot-spots 9",
            "traffic run path:3 --mission bad-length.csv",
            "traffic run path:3 --mission bad-destination.csv",
            "traffic run path:3 --mission nowhere.csv",
            "traffic run hypercube:15",
            "traffic run complete:40000",
            "traffic run path:3 --routing hole.csv",
            "traffic run --schedule ring-oab-broken.json",
            "traffic run ring:4 --collective polka",
            "traffic compare hypercube:3 --missions 0",
            "traffic sweep hypercube:3 --over taste",
            "traffic sweep hypercube:3 --over interval --values 0",
            "traffic sweep path:3 --over interval --values 20 --duration 100 --warm-up 99.99",
            "traffic sweep hypercube:3 --over hot-spots --values 1.5",
            "deadlock path:3 --routing hole.csv",
            "deadlock kautz:2,3",
            "deadlock ring:4 --fault 0-1 --fault 2-3",
            "deadlock ring:5 --reroute 0-9:1",
            "deadlock ring:5 --routing scenic",
        ],
    );
}

#[test]
fn deadlock() {
    let table = concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus/papers/amp-8-routing.csv");
    let run = |line: &str| run(&line.replace("TABLE", table)).replace(table, "TABLE");
    let text = [
        run("deadlock ring:5"),
        run("deadlock ring:5 --routing shortest"),
        run("deadlock torus:4x4 --json"),
        run("deadlock hypercube:3 --routing dimension-order"),
        // The example of the HGSA paper: the route from 2 to 7 through 3 is free of cycles, the one
        // through 6 is not.
        run("deadlock amp:8 --routing TABLE"),
        run("deadlock amp:8 --routing TABLE --reroute 2-7:6"),
        run("deadlock path:3 --dot -"),
        run("deadlock ring:5 --routing dateline"),
        run("deadlock torus:5x5 --routing escape"),
        run("deadlock petersen --routing escape --json"),
        run("deadlock ring:3 --routing dateline --table -"),
    ];
    compare("deadlock", &text);
}
