//! Other ranks that search for the same: what one finds, all get to know. Everything goes by rank 0, which
//! passes on only what is better than all before.

use super::choice::find_engine;
use crate::attempt::Proof;
use pavane_cluster::{Channel, Cluster, Letter, Pack, Unpack};
use pavane_model::{ChannelId, MessageId, ProcessorId, Schedule, Transfer};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

/// What is heard from others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum News {
    /// A schedule and the engine that found it.
    Found(Schedule, &'static str),
    /// A proof, not checked yet.
    Proved(Proof),
    /// So many steps are needed: checked by rank 0.
    Bound(u32),
    /// Rank 0 has ended the search.
    Over,
    /// A rank has ended its part, with so many evaluations.
    Done(u64),
}

/// The line to the others.
#[derive(Debug)]
pub(super) struct Partners {
    cluster: Cluster,
    channel: Channel,
    heard: Mutex<Heard>,
    /// Raised when what is being tried was found elsewhere.
    overtaken: Arc<AtomicBool>,
    /// Raised when rank 0 has ended the search.
    over: Arc<AtomicBool>,
    /// Raised when nobody here listens any more.
    deaf: AtomicBool,
}

#[derive(Debug, Default)]
struct Heard {
    news: Vec<News>,
    /// The fewest steps that were passed on or heard of.
    fewest: Option<u32>,
    /// A schedule of at most so many steps ends what is being done.
    aim: u32,
    done: usize,
    evaluations: u64,
}

impl Partners {
    pub fn new(cluster: &Cluster, channel: Channel) -> Self {
        Self {
            cluster: cluster.clone(),
            channel,
            heard: Mutex::default(),
            overtaken: Arc::default(),
            over: Arc::default(),
            deaf: AtomicBool::new(false),
        }
    }

    fn heard(&self) -> MutexGuard<'_, Heard> {
        self.heard.lock().expect("no thread panics while it holds this")
    }

    /// A flag that ends what is being done, because it was found elsewhere.
    pub fn overtaken(&self) -> Arc<AtomicBool> {
        self.overtaken.clone()
    }

    /// A flag that rank 0 raises to end the search.
    pub fn over(&self) -> Arc<AtomicBool> {
        self.over.clone()
    }

    /// Hears what comes until nobody wants to know any more.
    pub fn listen(&self) {
        let is_deaf = || self.deaf.load(Ordering::Relaxed);
        while let Some(Letter { from, bytes }) = self.cluster.receive_unless(self.channel, is_deaf)
        {
            if let Some(news) = unpack(&bytes) {
                self.hear(from, news, bytes);
            }
        }
    }

    fn hear(&self, from: usize, news: News, bytes: Vec<u8>) {
        let mut heard = self.heard();
        match news {
            News::Found(schedule, engine) => {
                let steps = schedule.step_count();
                if heard.fewest.is_some_and(|fewest| fewest <= steps) {
                    return;
                }
                heard.fewest = Some(steps);
                if steps <= heard.aim {
                    self.overtaken.store(true, Ordering::Relaxed);
                }
                heard.news.push(News::Found(schedule, engine));
                drop(heard);
                self.pass_on(from, &bytes);
            }
            News::Over => self.over.store(true, Ordering::Relaxed),
            News::Done(evaluations) => {
                heard.done += 1;
                heard.evaluations += evaluations;
            }
            News::Proved(_) | News::Bound(_) => heard.news.push(news),
        }
    }

    /// From rank 0 to all but whom it comes from.
    fn pass_on(&self, from: usize, bytes: &[u8]) {
        if self.cluster.is_first() {
            for rank in self.cluster.others().filter(|&rank| rank != from) {
                self.cluster.send(rank, self.channel, bytes.to_vec());
            }
        }
    }

    /// What was heard since the last time. From now on, a schedule of at most `aim` steps ends what
    /// is being done.
    pub fn catch_up(&self, aim: u32) -> Vec<News> {
        let mut heard = self.heard();
        heard.aim = aim;
        self.overtaken.store(false, Ordering::Relaxed);
        std::mem::take(&mut heard.news)
    }

    /// Tells the others what was found here.
    pub fn tell(&self, schedule: &Schedule, engine: &'static str) {
        let steps = schedule.step_count();
        let mut heard = self.heard();
        if self.cluster.is_alone() || heard.fewest.is_some_and(|fewest| fewest <= steps) {
            return;
        }
        heard.fewest = Some(steps);
        drop(heard);
        self.tell_news(&News::Found(schedule.clone(), engine));
    }

    /// Tells the others of a proof that was checked here: rank 0 all of it, the others what follows.
    pub fn tell_proof(&self, proof: &Proof) {
        match (self.cluster.is_alone(), self.cluster.is_first()) {
            (true, _) => {}
            (false, true) => self.tell_news(&News::Bound(proof.steps + 1)),
            (false, false) => self.tell_news(&News::Proved(proof.clone())),
        }
    }

    /// Tells rank 0, or from rank 0 all.
    pub fn tell_news(&self, news: &News) {
        let bytes = pack(news);
        match self.cluster.is_first() {
            true => self.pass_on(0, &bytes),
            false => self.cluster.send(0, self.channel, bytes),
        }
    }

    /// Ends the search of all others; the evaluations of those that say so before `is_late`.
    pub fn end(&self, is_late: impl Fn() -> bool) -> u64 {
        self.tell_news(&News::Over);
        let others = self.cluster.ranks() - 1;
        while self.heard().done < others && !is_late() {
            std::thread::sleep(std::time::Duration::from_millis(2));
        }
        self.heard().evaluations
    }

    /// Lets [`Partners::listen`] come back.
    pub fn hang_up(&self) {
        self.deaf.store(true, Ordering::Relaxed);
    }
}

fn pack(news: &News) -> Vec<u8> {
    match news {
        News::Found(schedule, engine) => {
            let mut pack = Pack::new().number(0).bytes(engine.as_bytes());
            pack = pack.number(schedule.step_count().into());
            for step in 0..schedule.step_count() {
                let transfers = schedule.step(step);
                pack = pack.number(transfers.len() as u64);
                for Transfer { message, from, to, path } in transfers {
                    pack = pack.number(message.0.into()).number(from.0.into()).number(to.0.into());
                    pack = pack.list(path.iter().map(|channel| channel.0.into()));
                }
            }
            pack.done()
        }
        News::Proved(proof) => {
            Pack::new().number(1).number(proof.steps.into()).bytes(&proof.lrat).done()
        }
        News::Bound(steps) => Pack::new().number(2).number((*steps).into()).done(),
        News::Over => Pack::new().number(3).done(),
        News::Done(evaluations) => Pack::new().number(4).number(*evaluations).done(),
    }
}

fn unpack(bytes: &[u8]) -> Option<News> {
    let mut letter = Unpack::new(bytes);
    Some(match letter.number()? {
        0 => {
            let engine = find_engine(std::str::from_utf8(letter.bytes()?).ok()?)?.name();
            let mut schedule = Schedule::new();
            for _ in 0..letter.number()? {
                schedule.start_step();
                for _ in 0..letter.number()? {
                    let mut id = || letter.number().map(|number| number as u32);
                    let (message, from, to) =
                        (MessageId(id()?), ProcessorId(id()?), ProcessorId(id()?));
                    let path = letter.list()?.into_iter();
                    let path: Vec<ChannelId> =
                        path.map(|number| ChannelId(number as u32)).collect();
                    schedule.push(Transfer { message, from, to, path: &path });
                }
            }
            News::Found(schedule, engine)
        }
        1 => {
            let (steps, lrat) = (letter.number()? as u32, letter.bytes()?.to_vec());
            News::Proved(Proof { steps, lrat })
        }
        2 => News::Bound(letter.number()? as u32),
        3 => News::Over,
        _ => News::Done(letter.number()?),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_say_what_was_meant() {
        let mut schedule = Schedule::new();
        schedule.start_step();
        let path = [ChannelId(300), ChannelId(0)];
        let (from, to) = (ProcessorId(1), ProcessorId(200));
        schedule.push(Transfer { message: MessageId(7), from, to, path: &path });
        schedule.start_step();
        for news in [
            News::Found(schedule, "gossip"),
            News::Proved(Proof { steps: 3, lrat: vec![1, 2, 255] }),
            News::Bound(9),
            News::Over,
            News::Done(1 << 40),
        ] {
            assert_eq!(unpack(&pack(&news)), Some(news));
        }
    }

    #[test]
    fn rank_0_passes_on_what_is_better_and_nothing_else() {
        let clusters = Cluster::threads(3);
        let partners: Vec<Partners> =
            clusters.iter().map(|cluster| Partners::new(cluster, 5)).collect();
        let of = |steps: u32| Schedule::from_transfers(steps, &[]);
        let hear = |rank: usize| {
            while let Some(letter) = clusters[rank].try_receive(5) {
                let news = unpack(&letter.bytes).unwrap();
                partners[rank].hear(letter.from, news, letter.bytes);
            }
        };
        partners[0].catch_up(8);
        partners[1].tell(&of(9), "gossip");
        partners[2].tell(&of(10), "gossip");
        (0..3).for_each(hear);
        assert_eq!(partners[0].catch_up(8), [News::Found(of(9), "gossip")]);
        assert_eq!(partners[1].catch_up(8), []);
        assert_eq!(partners[2].catch_up(8), [News::Found(of(9), "gossip")]);
        assert!(!partners[0].overtaken().load(Ordering::Relaxed));
        partners[2].tell(&of(8), "gossip");
        (0..3).for_each(hear);
        assert!(partners[0].overtaken().load(Ordering::Relaxed));
        assert_eq!(partners[1].catch_up(7), [News::Found(of(8), "gossip")]);
    }
}
