//! What the tools of machines say, and what is wrong with it.

use super::*;

/// Two hosts on two switches with two cables between them, as `ibnetdiscover` prints it.
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
    // Nodes of the same description go by their ids.
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
    // NVLinks do not reach the third GPU, so the buses count.
    let wanted = "6: 0-1 0-1 3-4 4-1 4-0 3-5 5-2 | 0 1 2 | gpu0 gpu1 gpu2 cpu0 pci :05:00.0 cpu1";
    assert_eq!(summary(&good(NCCL, FileKind::Nccl)), wanted);
    // With switches NVLinks reach all, and nothing else counts.
    let class = |text: &str| text.replace("tclass=\"0x030200\"", "tclass=\"0x068000\"");
    let third = "rank=\"2\"><nvlink target=\"x\" count=\"4\" tclass=\"0x068000\"/></gpu>";
    let switched = class(NCCL).replace("rank=\"2\"/>", third);
    let wanted = "4: 0-3 0-3 1-3 1-3 2-3 2-3 2-3 2-3 | 0 1 2 | gpu0 gpu1 gpu2 nvswitch";
    assert_eq!(summary(&good(&switched, FileKind::Nccl)), wanted);
    for (text, problem) in [
        (NCCL.replace("target=\"0000:06:00.0\"", "target=\"0000:99:00.0\""), "where no GPU is"),
        (NCCL.replace("count=\"2\"", "count=\"two\""), "not a number"),
        (NCCL.replace("count=\"2\"", "count=\"4000000000\""), "more than there can be"),
        (NCCL.replace("gpu", "tpu"), "it has no GPU"),
        (format!("<!DOCTYPE a [<!ENTITY a \"a\">]>{}", &NCCL[22..]), "DTD"),
    ] {
        let error = parse(&text, "f", FileKind::Nccl).unwrap_err().to_string();
        assert!(error.contains(problem), "{error}");
    }
}

/// Four GPUs, two and two below a bridge of the bus, with a network card; the heading is underlined.
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
    // Twelve links to each of three others are twelve links to switches.
    let switched = SMI.replace("PIX", "NV12").replace("PHB", "NV12").replace("SYS", "NV12");
    let network = good(&switched, FileKind::Smi);
    assert_eq!((network.router_count(), network.channel_count()), (5, 96));
    for (from, to, problem) in [
        ("GPU0\t X \tPIX", "GPU0\t X \tPAX", "neither X, NV and a number"),
        ("GPU0\t X \tPIX", "GPU0\tPIX\t X ", "about GPU0"),
        ("GPU1\tPIX\t X \tSYS\tSYS\tPIX\t0-15\t0\n", "", "the row of \"GPU2\""),
        ("GPU0\t X \tPIX", "GPU0\t X \tNV3", "no error"),
    ] {
        match parse(&SMI.replacen(from, to, 1), "f", FileKind::Smi) {
            Err(error) => assert!(error.to_string().contains(problem), "{error}"),
            Ok(_) => assert_eq!(problem, "no error"),
        }
    }
}
