//! Omega network: 2^d processors and `d` stages of 2^(d−1) switches with two inputs and two
//! outputs, with a perfect shuffle before every stage. Channels lead in one direction, from the
//! processors through all stages back to the processors. Lawrie, IEEE Trans. Computers 24(12),
//! 1975. Each processor has its own router. These are numbered first, then the switches, stage by
//! stage.

use super::error::TopologyError;
use super::hypercube::power;
use super::parameters::{Parameters, Size};
use pavane_model::Network;

pub fn build(parameters: &Parameters<'_>) -> Result<Network, TopologyError> {
    let [stages] = parameters.numbers()?;
    parameters.at_least("d", stages, 1)?;
    let lines = power(2, stages);
    let size = Size {
        routers: lines.saturating_add((lines / 2).saturating_mul(stages.into())),
        channels: lines.saturating_mul(u128::from(stages) + 1),
        processors: lines,
    };
    let mut builder = parameters.start(size)?;
    let (lines, stages) = (lines as u32, stages as u32);
    let switch = |stage: u32, line: u32| lines + stage * (lines / 2) + line / 2;
    let shuffled = |line: u32| line << 1 & (lines - 1) | line >> (stages - 1);
    for line in 0..lines {
        builder.channel(line, switch(0, shuffled(line))).processor(Some(line));
    }
    for stage in 1..stages {
        for line in 0..lines {
            builder.channel(switch(stage - 1, line), switch(stage, shuffled(line)));
        }
    }
    for line in 0..lines {
        builder.channel(switch(stages - 1, line), line);
    }
    Ok(builder.build()?)
}
