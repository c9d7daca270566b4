//! Small requests at random places of registered memory, a fixed number of them open at a time.

use super::write::{failed, request_at, unexpected};
use crate::attach::RunError;
use crate::driver::Registered;
use crate::fabric::{Landing, Memories, Place};
use crate::random::Random;
use crate::time::Time;
use crate::workload::Workload;
use types::port::{Completion, WorkRequest};
use types::{Offset, Op, StreamId, WrId};

/// What is accessed, and how.
#[derive(Clone, Debug)]
pub struct RandomSpec {
    /// Regions; each access goes to one of them, all alike.
    pub regions: Vec<Registered>,
    /// Bytes of each region that are accessed, from its start; a multiple of `align`.
    pub window: u64,
    /// Bytes of an access, at most `align`.
    pub bytes: u32,
    /// Places are multiples of this.
    pub align: u64,
    /// [`Op::READ`] or [`Op::WRITE`].
    pub op: Op,
    /// First stream, and number of streams.
    pub streams: (u16, u16),
    /// Requests open on each stream: a power of two, at most the unit's `stream_depth`.
    pub depth: u16,
    /// Time from the end of a request to the next of its place in the window.
    pub pause: Time,
}

#[derive(Clone, Copy, Debug, Default)]
struct Open {
    posted: Time,
    region: u32,
    offset: u64,
    received: u32,
}

#[derive(Clone, Debug, Default)]
struct Stream {
    open: Vec<Open>,
    first: u16,
    count: u16,
    /// When each place that is free may be used again, as a ring in order.
    ready: std::collections::VecDeque<Time>,
}

/// Counts over a measured interval.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Requests that have ended.
    pub requests: u64,
    /// Sum of their times from the offer to the completion, ps.
    pub latency_ps: u128,
}

/// Random accesses, endless: the caller ends the run.
#[derive(Clone, Debug)]
pub struct RandomTraffic {
    spec: RandomSpec,
    random: Random,
    streams: Vec<Stream>,
    turn: usize,
    tally: Tally,
    wrong: u64,
    landed: u64,
    failure: Option<RunError>,
}

impl RandomTraffic {
    /// Accesses as `spec` says; `seed` with `path` gives their places.
    pub fn new(spec: RandomSpec, seed: u64, path: &str) -> Self {
        let depth = spec.depth.max(1);
        let stream = Stream {
            open: vec![Open::default(); usize::from(depth)],
            first: 0,
            count: 0,
            ready: std::iter::repeat_n(Time(0), usize::from(depth)).collect(),
        };
        let streams = vec![stream; usize::from(spec.streams.1)];
        let random = Random::new(seed, path);
        Self { spec, random, streams, turn: 0, tally: Tally::default(), wrong: 0, landed: 0, failure: None }
    }

    /// Requests that have ended so far, and their time.
    pub fn tally(&self) -> Tally {
        self.tally
    }
    /// Bytes that were wrong.
    pub fn wrong(&self) -> u64 {
        self.wrong
    }
    /// Bytes that have landed in memory.
    pub fn landed_bytes(&self) -> u64 {
        self.landed
    }
    /// A request that failed.
    pub fn failure(&self) -> Option<RunError> {
        self.failure.clone()
    }
    /// Whether the stream is one of these.
    pub fn owns(&self, stream: StreamId) -> bool {
        self.index(stream).is_some()
    }

    fn index(&self, stream: StreamId) -> Option<usize> {
        let (first, count) = self.spec.streams;
        let index = stream.0.checked_sub(first)?;
        (index < count).then_some(usize::from(index))
    }

    fn open_request(&mut self, stream: StreamId, id: WrId) -> Option<&mut Open> {
        let index = self.index(stream)?;
        let s = &mut self.streams[index];
        let place = usize::from(id.0) % s.open.len();
        (id.0.wrapping_sub(s.first) < s.count).then(|| &mut s.open[place])
    }
}

impl Workload for RandomTraffic {
    fn tick(&mut self, _: Time, _: &mut Memories) {}

    fn offer(&mut self, now: Time) -> Option<WorkRequest> {
        let count = self.streams.len();
        for i in 0..count {
            let index = (self.turn + i) % count;
            let s = &mut self.streams[index];
            if s.ready.pop_front_if(|at| *at <= now).is_none() {
                continue;
            }
            let region = self.random.below(self.spec.regions.len() as u64) as u32;
            let offset = self.random.below(self.spec.window / self.spec.align) * self.spec.align;
            let id = s.first.wrapping_add(s.count);
            let place = usize::from(id) % s.open.len();
            s.open[place] = Open { posted: now, region, offset, received: 0 };
            s.count += 1;
            self.turn = (index + 1) % count;
            let stream = StreamId(self.spec.streams.0 + index as u16);
            let registered = &self.spec.regions[region as usize];
            return Some(request_at(registered, stream, WrId(id), offset, self.spec.bytes, self.spec.op));
        }
        None
    }

    fn source(&mut self, _: StreamId, _: WrId, offset: Offset, out: &mut [u8]) {
        out.iter_mut().zip(offset.0..).for_each(|(byte, at)| *byte = at as u8);
    }

    fn sink(&mut self, stream: StreamId, id: WrId, offset: Offset, bytes: &[u8], memories: &mut Memories) {
        let Some(open) = self.open_request(stream, id) else {
            self.wrong += bytes.len() as u64;
            return;
        };
        open.received += bytes.len() as u32;
        let (region, mut at) = (open.region, open.offset + u64::from(offset.0));
        let registered = self.spec.regions[region as usize];
        let mut rest = bytes;
        while !rest.is_empty() {
            let piece = rest.len().min((4096 - at % 4096) as usize);
            let place = registered.place(at);
            let pattern = match memories.place(place, piece as u64) {
                Some(Place::Gpu) => memories.gpu.background(),
                _ => memories.host.background(),
            };
            self.wrong += pattern.wrong(place.0, &rest[..piece]);
            (at, rest) = (at + piece as u64, &rest[piece..]);
        }
    }

    fn completed(&mut self, now: Time, completion: &Completion) {
        let oldest = self.index(completion.stream).filter(|i| {
            let s = &self.streams[*i];
            s.count > 0 && s.first == completion.id.0
        });
        let Some(index) = oldest else {
            self.failure.get_or_insert(unexpected(completion));
            return;
        };
        if !completion.syndrome.is_ok() {
            self.failure.get_or_insert(failed(completion));
        }
        let s = &mut self.streams[index];
        let open = s.open[usize::from(s.first) % s.open.len()];
        s.first = s.first.wrapping_add(1);
        s.count -= 1;
        s.ready.push_back(now + self.spec.pause);
        if self.spec.op == Op::READ {
            self.wrong += u64::from(self.spec.bytes.abs_diff(open.received));
        }
        self.tally.requests += 1;
        self.tally.latency_ps += u128::from(now.since(open.posted).0);
    }

    fn landed(&mut self, _: Time, landing: Landing, _: &mut Memories) {
        self.landed += u64::from(landing.length);
    }

    fn progress(&self) -> u64 {
        self.tally.requests
    }

    fn resting_until(&self) -> Time {
        self.streams.iter().filter_map(|s| s.ready.front()).min().copied().unwrap_or(Time::NEVER)
    }

    fn describe(&self) -> String {
        let open: Vec<u16> = self.streams.iter().map(|s| s.count).collect();
        format!("random accesses: ended {}, open {open:?}", self.tally.requests)
    }
}
