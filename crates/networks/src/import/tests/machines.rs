//! The output of tools that describe machines, valid and invalid.

use super::*;

/// Two hosts on two switches with two cables between them, in the format of `ibnetdiscover`.
pub(super) const FABRIC: &str = r#"#
# Topology file: generated on Mon Jan  1 00:00:00 2024
#
vendid=0x2c9
devid=0xc738
sysimgguid=0x2c90300a2b3c0
switchguid=0x2c90300a2b3c0(2c90300a2b3c0)
Switch	36 "S-0002c90300a2b3c0"		# "leaf1" enhanced port 0 lid 3 lmc 0
[1]	"H-0002c903000e0b70"[1](2c903000e0b71) 		# "node01 HCA-1" lid 1 4xFDR
[19]	"S-0002c90300b1c2d0"[20]		# "leaf2" lid 4 4xEDR
[20]	"S-0002c90300b1c2d0"[19]		# "leaf2" lid 4 4xEDR

Switch	36 "S-0002c90300b1c2d0"		# "leaf2" enhanced port 0 lid 4 lmc 0
[2]	"H-0002c903000e0b80"[1](2c903000e0b81) 		# "node02 HCA-1" lid 2 4xFDR
[19]	"S-0002c90300a2b3c0"[20]		# "leaf1" lid 3 4xEDR
[20]	"S-0002c90300a2b3c0"[19]		# "leaf1" lid 3 4xEDR

vendid=0x2c9
Ca	1 "H-0002c903000e0b70"		# "node01 HCA-1"
[1](2c903000e0b71) 	"S-0002c90300a2b3c0"[1]		# lid 1 lmc 0 "leaf1" lid 3 4xFDR

Ca	1 "H-0002c903000e0b80"		# "node02 HCA-1"
[1](2c903000e0b81) 	"S-0002c90300b1c2d0"[2]		# lid 2 lmc 0 "leaf2" lid 4 4xFDR
"#;

#[test]
fn fabrics_of_infiniband() {
    assert_eq!(FileKind::of(Path::new("fabric.txt"), FABRIC), FileKind::InfiniBand);
    let network = good(FABRIC, FileKind::InfiniBand);
    let wanted = "4: 0-2 0-1 0-1 1-3 | 2 3 | leaf1 leaf2 node01 HCA-1 node02 HCA-1";
    assert_eq!(summary(&network), wanted);
    assert_eq!(network.timing(ChannelId(2)).bandwidth_gbytes, Some(12.5));
    // Nodes with the same description are named by their ids.
    let alike = FABRIC.replace("leaf2", "leaf1");
    assert!(summary(&good(&alike, FileKind::InfiniBand)).contains("S-0002c90300a2b3c0"));
    for (from, to, problem) in [
        ("[1]\t\"H-0002c903000e0b70\"[1]", "[1]\t\"H-1\"[1]", "no Switch or Ca is called \"H-1\""),
        (
            "[1]\t\"H-0002c903000e0b70\"[1]",
            "[one]\t\"H-0002c903000e0b70\"[1]",
            "its own number first",
        ),
        ("Switch\t36 \"S-0002c90300a2b3c0\"", "Sw", "a port before any Switch or Ca"),
    ] {
        let text = FABRIC.replacen(from, to, 1);
        let error = parse(&text, "f", FileKind::InfiniBand).unwrap_err().to_string();
        assert!(error.contains(problem), "{error}");
    }
}

pub(super) const NCCL: &str = r#"<?xml version="1.0"?>
<system version="1">
  <cpu numaid="0" arch="x86_64">
    <pci busid="0000:05:00.0" class="0x060400">
      <pci busid="0000:07:00.0" class="0x030200"><gpu dev="1" sm="70" rank="1"><nvlink target="0000:06:00.0" count="2" tclass="0x030200"/></gpu></pci>
      <pci busid="0000:06:00.0" class="0x030200"><gpu dev="0" sm="70" rank="0"><nvlink target="0000:07:00.0" count="2" tclass="0x030200"/></gpu></pci>
      <pci busid="0000:08:00.0" class="0x020700"><nic><net name="mlx5_0" dev="0"/></nic></pci>
    </pci>
  </cpu>
  <cpu numaid="1" arch="x86_64">
    <pci busid="0000:84:00.0" class="0x030200"><gpu dev="2" sm="70" rank="2"/></pci>
  </cpu>
</system>"#;

#[test]
fn topologies_of_nccl() {
    assert_eq!(FileKind::of(Path::new("topology.xml"), NCCL), FileKind::Nccl);
    // NVLinks do not reach the third GPU, so the buses are included.
    let wanted = "6: 0-1 0-1 3-4 4-1 4-0 3-5 5-2 | 0 1 2 | gpu0 gpu1 gpu2 cpu0 pci :05:00.0 cpu1";
    assert_eq!(summary(&good(NCCL, FileKind::Nccl)), wanted);
    // With switches, NVLinks connect all GPUs and the buses are left out.
    let class = |text: &str| text.replace("tclass=\"0x030200\"", "tclass=\"0x068000\"");
    let third = "rank=\"2\"><nvlink target=\"x\" count=\"4\" tclass=\"0x068000\"/></gpu>";
    let switched = class(NCCL).replace("rank=\"2\"/>", third);
    let wanted = "4: 0-3 0-3 1-3 1-3 2-3 2-3 2-3 2-3 | 0 1 2 | gpu0 gpu1 gpu2 nvswitch";
    assert_eq!(summary(&good(&switched, FileKind::Nccl)), wanted);
    for (text, problem) in [
        (NCCL.replace("target=\"0000:06:00.0\"", "target=\"0000:99:00.0\""), "which is not a GPU"),
        (NCCL.replace("count=\"2\"", "count=\"two\""), "not a number"),
        (NCCL.replace("count=\"2\"", "count=\"4000000000\""), "exceed the maximum of"),
        (NCCL.replace("gpu", "tpu"), "it has no GPU"),
        (format!("<!DOCTYPE a [<!ENTITY a \"a\">]>{}", &NCCL[22..]), "DTD"),
    ] {
        let error = parse(&text, "f", FileKind::Nccl).unwrap_err().to_string();
        assert!(error.contains(problem), "{error}");
    }
}

/// Four GPUs, two below each bus bridge, and a network card; the heading is underlined.
pub(super) const SMI: &str = "\t\u{1b}[4mGPU0\tGPU1\tGPU2\tGPU3\tNIC0\tCPU Affinity\tNUMA Affinity\u{1b}[0m\n\
GPU0\t X \tPIX\tSYS\tSYS\tPIX\t0-15\t0\nGPU1\tPIX\t X \tSYS\tSYS\tPIX\t0-15\t0\n\
GPU2\tSYS\tSYS\t X \tPHB\tSYS\t16-31\t1\nGPU3\tSYS\tSYS\tPHB\t X \tSYS\t16-31\t1\n\
NIC0\tPIX\tPIX\tSYS\tSYS\t X \t\t\n\nLegend:\n\n  X    = Self\n";

#[test]
fn matrices_of_nvidia_smi() {
    assert_eq!(FileKind::of(Path::new("topo.txt"), SMI), FileKind::Smi);
    let wanted =
        "7: 0-4 1-4 2-5 3-5 4-6 5-6 | 0 1 2 3 | gpu0 gpu1 gpu2 gpu3 bridge 0 host 2 system 0";
    assert_eq!(summary(&good(SMI, FileKind::Smi)), wanted);
    let linked = SMI.replace("PIX", "NV2").replace("PHB", "NV2").replace("SYS", "NV1");
    let wanted = "4: 0-1 0-1 0-2 0-3 1-2 1-3 2-3 2-3 | 0 1 2 3 | gpu0 gpu1 gpu2 gpu3";
    assert_eq!(summary(&good(&linked, FileKind::Smi)), wanted);
    // Twelve links to each of three other GPUs mean twelve links to switches.
    let switched = SMI.replace("PIX", "NV12").replace("PHB", "NV12").replace("SYS", "NV12");
    let network = good(&switched, FileKind::Smi);
    assert_eq!((network.router_count(), network.channel_count()), (5, 96));
    for (from, to, problem) in [
        ("GPU0\t X \tPIX", "GPU0\t X \tPAX", "neither X, nor NV and a number"),
        ("GPU0\t X \tPIX", "GPU0\tPIX\t X ", "for GPU0"),
        ("GPU1\tPIX\t X \tSYS\tSYS\tPIX\t0-15\t0\n", "", "the row of \"GPU2\""),
        ("GPU0\t X \tPIX", "GPU0\t X \tNV3", "no error"),
    ] {
        match parse(&SMI.replacen(from, to, 1), "f", FileKind::Smi) {
            Err(error) => assert!(error.to_string().contains(problem), "{error}"),
            Ok(_) => assert_eq!(problem, "no error"),
        }
    }
}

/// The matrix of `nvidia-smi topo -m` for commercial machines, from its upper half: `4` stands for
/// NV4, other words are copied.
fn topo(rows: &[&str], more: &str) -> String {
    let count = rows.len();
    let word = |one: usize, other: usize| match one.cmp(&other) {
        std::cmp::Ordering::Equal => " X ".to_owned(),
        _ => {
            let (low, high) = (one.min(other), one.max(other));
            let word = rows[low].split_whitespace().nth(high - low - 1).unwrap();
            if word.parse::<u32>().is_ok() { format!("NV{word}") } else { word.to_owned() }
        }
    };
    let names: Vec<String> = (0..count).map(|gpu| format!("GPU{gpu}")).collect();
    let mut text = format!("\t{}\t{more}\n", names.join("\t"));
    for one in 0..count {
        let words: Vec<String> = (0..count).map(|other| word(one, other)).collect();
        text += &format!("GPU{one}\t{}\t0-55,112-167\t0\t\tN/A\n", words.join("\t"));
    }
    text + "\nLegend:\n\n  X    = Self\n  NV#  = Connection traversing a bonded set of # NVLinks\n"
}

#[test]
fn matrices_of_commercial_machines() {
    let even = |count: usize, word: &str| -> Vec<String> {
        (0..count).map(|gpu| vec![word; count - 1 - gpu].join(" ")).collect()
    };
    let a100 = even(8, "12");
    let h100 = even(8, "18");
    let pair = even(2, "12");
    let islands = [
        "18 18 18 SYS SYS SYS SYS",
        "18 18 SYS SYS SYS SYS",
        "18 SYS SYS SYS SYS",
        "SYS SYS SYS SYS",
    ];
    let islands: Vec<String> =
        islands.iter().map(|row| (*row).to_owned()).chain(even(4, "18")).collect();
    let dgx_1: Vec<String> = [
        "1 1 2 2 SYS SYS SYS",
        "2 1 SYS 2 SYS SYS",
        "2 SYS SYS 1 SYS",
        "SYS SYS SYS 1",
        "1 1 2",
        "2 1",
        "2",
        "",
    ]
    .map(str::to_owned)
    .to_vec();
    // Routers, channels, and channels that leave a GPU.
    for (name, rows, wanted) in [
        ("DGX-1V", &dgx_1, (8, 48, 6)),
        ("DGX A100", &a100, (9, 192, 12)),
        ("DGX H100", &h100, (9, 288, 18)),
        ("two GPUs and a bridge", &pair, (2, 24, 12)),
        ("two islands of NVLinks, and the bus between them", &islands, (11, 304, 19)),
    ] {
        let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
        let text = topo(&rows, "CPU Affinity\tNUMA Affinity\tGPU NUMA ID");
        for text in [text.clone(), text.replace('\n', "\r\n"), text.replace('\t', "    ")] {
            assert_eq!(FileKind::of(Path::new("topo.txt"), &text), FileKind::Smi, "{name}");
            let network = good(&text, FileKind::Smi);
            let degree = |gpu| network.out_channels(RouterId(gpu)).len();
            let most = (0..rows.len() as u32).map(degree).max().unwrap();
            let found = (network.router_count(), network.channel_count(), most);
            assert_eq!(found, wanted, "{name}");
            assert_eq!(network.processor_count(), rows.len(), "{name}");
        }
    }
}

/// As in the manual page of `ibnetdiscover`: a host with two ports on two switches, hosts with the
/// same description, indented lines, a slow cable, and a router to another subnet.
#[test]
fn a_fabric_as_in_the_manual_page() {
    let text = r#"
   # Topology file: generated on Mon Jan  1 00:00:00 2024
   #
   # Max of 3 hops discovered
   # Initiated from node 0008f10403960558 port 0008f10403960559

   Non-Chassis Nodes

   vendid=0x8f1
   devid=0x5a06
   sysimgguid=0x5442ba00003000
   switchguid=0x5442ba00003080(5442ba00003080)
   Switch  24 "S-005442ba00003080"         # "ISR9024 Voltaire" base port 0 lid 6 lmc 0
   [22]    "H-0008f10403961354"[1](8f10403961355)         # "MT23108 InfiniHost Mellanox Technologies" lid 4 4xSDR
   [10]    "S-0008f10400410015"[1]         # "SW-6IB4 Voltaire" lid 3 1xSDR
   [8]     "H-0008f10403960558"[2](8f1040396055a)         # "MT23108 InfiniHost Mellanox Technologies" lid 14 4xSDR

   switchguid=0x8f10400410015(8f10400410015)
   Switch  8 "S-0008f10400410015"          # "SW-6IB4 Voltaire" base port 0 lid 3 lmc 0
   [6]     "H-0008f10403960558"[1](8f10403960559)         # "MT23108 InfiniHost Mellanox Technologies" lid 16 4xXDR
   [1]     "S-005442ba00003080"[10]                # "ISR9024 Voltaire" lid 6 1xSDR

   Ca      2 "H-0008f10403961354"          # "MT23108 InfiniHost Mellanox Technologies"
   [1](8f10403961355)     "S-005442ba00003080"[22]                # lid 4 lmc 1 "ISR9024 Voltaire" lid 6 4xSDR

   Ca      2 "H-0008f10403960558"          # "MT23108 InfiniHost Mellanox Technologies"
   [2](8f1040396055a)     "S-005442ba00003080"[8]         # lid 14 lmc 1 "ISR9024 Voltaire" lid 6 4xSDR
   [1](8f10403960559)     "S-0008f10400410015"[6]         # lid 10 lmc 1 "SW-6IB4 Voltaire" lid 3 4xXDR
"#;
    for text in [text.to_owned(), text.replace('\n', "\r\n"), text.replace("   ", "\t")] {
        assert_eq!(FileKind::of(Path::new("fabric.txt"), &text), FileKind::InfiniBand);
        let network = good(&text, FileKind::InfiniBand);
        let wanted = "4: 0-2 0-1 0-3 1-3 | 2 3 | ISR9024 Voltaire SW-6IB4 Voltaire H-0008f10403961354 H-0008f10403960558";
        assert_eq!(summary(&network), wanted);
        let speed = |channel| network.timing(ChannelId(channel)).bandwidth_gbytes;
        assert_eq!((speed(0), speed(2), speed(6)), (Some(1.0), Some(0.25), Some(100.0)));
    }
}

/// A dump of an Amazon machine: four switches behind each GPU, network cards, empty attributes.
#[test]
fn a_dump_of_eight_gpus_behind_switches() {
    let mut text = String::from("<system version=\"1\">\n");
    for cpu in 0..2 {
        text += &format!(
            "  <cpu host_hash=\"0x16fe256e956b115c\" numaid=\"{cpu}\" affinity=\"00000000,00ffffff\" arch=\"x86_64\" \
             vendor=\"GenuineIntel\" familyid=\"6\" modelid=\"207\">\n    <nic><net name=\"eth0\" dev=\"0\" \
             latency=\"0.000000\" guid=\"0x0\" maxconn=\"65536\" gdr=\"0\"/></nic>\n"
        );
        for gpu in 4 * cpu..4 * cpu + 4 {
            text += &format!(
                "    <pci busid=\"0000:{gpu}0:00.0\" class=\"0x060400\" vendor=\"0x1d0f\" link_speed=\"\" link_width=\"0\">\n\
                 \x20     <pci busid=\"0000:{gpu}1:00.0\" class=\"0x020000\"><nic><net name=\"rdmap{gpu}\" dev=\"{gpu}\" speed=\"400000\"/></nic></pci>\n\
                 \x20     <pci busid=\"0000:{gpu}2:00.0\" class=\"0x030200\" device=\"0x2330\" link_speed=\"32.0 GT/s PCIe\" link_width=\"16\">\n\
                 \x20       <gpu dev=\"{gpu}\" sm=\"90\" rank=\"{gpu}\" gdr=\"1\">\n"
            );
            for (switch, count) in [("d0", 5), ("d2", 4), ("d1", 5), ("cf", 4)] {
                text += &format!(
                    "          <nvlink target=\"0000:{switch}:00.0\" count=\"{count}\" tclass=\"0x068000\"/>\n"
                );
            }
            text += "        </gpu>\n      </pci>\n    </pci>\n";
        }
        text += "  </cpu>\n";
    }
    text += "</system>\n";
    let network = good(&text, FileKind::Nccl);
    assert_eq!((network.router_count(), network.channel_count()), (9, 2 * 8 * 18));
    // Without NVLinks the network consists of the GPUs, the bridges that lead to them, and the
    // CPUs.
    let bare: String =
        text.lines().filter(|line| !line.contains("nvlink")).map(|l| l.to_owned() + "\n").collect();
    let network = good(&bare, FileKind::Nccl);
    assert_eq!((network.router_count(), network.channel_count()), (8 + 8 + 2, 2 * (8 + 8 + 1)));
}
