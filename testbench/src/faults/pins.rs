//! A unit with a fault at its pins.

use super::Fault;
use super::coherent::Coherent;
use super::early::Early;
use super::pages::Asking;
use super::registration::Registering;
use super::tables::Table;
use std::collections::{BTreeSet, VecDeque};
use system::Inside;
use types::config::TagMap;
use types::port::{Completion, MessageTlp, TlpBeat, UnitIn, UnitOut};
use types::tlp::{Body, Tlp};
use types::{AddressType, Block, Cycle, StreamId, Tag, UnitCfg, WrId};

/// What a tag of the unit is for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Use {
    #[default]
    Mpt,
    Mtt,
    Flush,
    Translation,
    Data,
}

/// The completion whose beats come in.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Incoming {
    pub(super) of: Use,
    /// Payload DWs before this beat.
    pub(super) dws: usize,
}

/// A planted fault and what it remembers.
#[derive(Clone, Debug)]
pub(super) struct Plant {
    pub(super) fault: Fault,
    /// Numbering of the tags in each tag width.
    tags: [TagMap; 3],
    pub(super) tag_mode: u8,
    pub(super) incoming: Incoming,
    /// Tag of the last non-posted TLP.
    pub(super) last_tag: Option<Tag>,
    /// Pages of the last two different translated TLPs, the older first.
    pub(super) pages: [Option<u64>; 2],
    /// Translation Requests in flight.
    pub(super) asking: u32,
    /// Data reads in flight.
    pub(super) reading: u32,
    /// Register that is written.
    pub(super) register: u16,
    /// Tag of the last data completion.
    pub(super) last_completion: Option<u16>,
    /// There was no posted credit in the last cycle.
    pub(super) no_credit: bool,
    /// Messages taken.
    pub(super) messages: u64,
    /// Messages the unit has not been shown.
    pub(super) withheld: VecDeque<MessageTlp>,
    /// Completions that were made up, and requests whose real one is swallowed.
    pub(super) forged: VecDeque<Completion>,
    pub(super) swallowed: BTreeSet<(StreamId, WrId)>,
    pub(super) early: Early,
    pub(super) asking_pages: Asking,
    pub(super) coherent: Coherent,
    pub(super) registering: Registering,
    pub(super) table: Table,
    /// The last entry of the MTT line, to go on from.
    pub(super) pages_from: Option<u64>,
    /// The unit's own outputs in this cycle.
    own: UnitOut,
    shown: UnitOut,
}

impl Plant {
    fn new(fault: Fault, cfg: &UnitCfg) -> Self {
        Self {
            fault,
            tags: [0, 1, 2].map(|mode| cfg.tags_in(mode)),
            tag_mode: 0,
            incoming: Incoming::default(),
            last_tag: None,
            pages: [None; 2],
            asking: 0,
            reading: 0,
            register: 0,
            last_completion: None,
            no_credit: false,
            messages: 0,
            withheld: VecDeque::new(),
            forged: VecDeque::new(),
            swallowed: BTreeSet::new(),
            early: Early::default(),
            asking_pages: Asking::default(),
            coherent: Coherent::default(),
            registering: Registering::default(),
            table: Table::default(),
            pages_from: None,
            own: UnitOut::default(),
            shown: UnitOut::default(),
        }
    }

    /// What a tag on the wire is for.
    pub(super) fn used_for(&self, tag: Tag) -> Use {
        let number = if self.tag_mode == 2 { tag.0.wrapping_sub(256) } else { tag.0 };
        let t = &self.tags[usize::from(self.tag_mode.min(2))];
        match u32::from(number) {
            n if n < t.mtt => Use::Mpt,
            n if n < t.flush => Use::Mtt,
            n if n < t.ats => Use::Flush,
            n if n < t.data => Use::Translation,
            _ => Use::Data,
        }
    }

    /// What the unit inside is shown in a cycle in which `inp` is at the pins; remembers what went by.
    fn tell<U: Block<In = UnitIn, Out = UnitOut>>(&mut self, unit: &U, inp: &UnitIn) -> UnitIn {
        unit.outputs(&mut self.own);
        let (own, mut shown) = (self.own, self.own);
        self.shown = own;
        self.outputs(&mut shown);
        self.shown = shown;
        let mut told = *inp;
        self.inputs(&mut told, &own, &shown);
        self.remember(inp);
        told
    }

    /// What has left in this cycle, as it was shown.
    fn remember(&mut self, inp: &UnitIn) {
        let np = self.shown.tx_rd_req_tlp;
        let posted = self.shown.tx_wr_req_tlp;
        for (beat, ready) in [(np, inp.tx_rd_req_tlp_ready), (posted, inp.tx_wr_req_tlp_ready)] {
            let Some(tlp) = taken(&beat, ready) else { continue };
            self.asking_pages.left(&tlp);
            self.line_left(&tlp);
            let Body::Memory { op, at, tag, .. } = tlp.body else { continue };
            if !op.posted() {
                self.last_tag = Some(tag);
                self.asking += u32::from(at == AddressType::TRANSLATION_REQUEST);
                self.reading += u32::from(self.used_for(tag) == Use::Data);
            }
        }
        // Pages as the unit meant them.
        for (beat, ready) in
            [(self.own.tx_rd_req_tlp, inp.tx_rd_req_tlp_ready), (self.own.tx_wr_req_tlp, inp.tx_wr_req_tlp_ready)]
        {
            if let Some(Tlp { body: Body::Memory { at: AddressType::TRANSLATED, address, .. }, .. }) =
                taken(&beat, ready)
                && self.pages[1] != Some(address.0 >> 12)
            {
                self.pages = [self.pages[1], Some(address.0 >> 12)];
            }
        }
        let own = self.own;
        self.coherent_fetch(&own, inp);
        if inp.cfg.valid && inp.cfg.function.0 == 0 {
            self.tag_mode = inp.cfg.tag_mode;
        }
    }
}

/// The TLP whose first beat is taken.
pub(super) fn taken(beat: &TlpBeat, ready: bool) -> Option<Tlp> {
    (beat.valid && beat.sop && ready).then(|| Tlp::parse(beat.hdr, beat.pasid).ok()).flatten()
}

/// A unit `U`, with a fault or without.
#[derive(Clone, Debug)]
pub struct Faulty<U> {
    unit: U,
    cfg: UnitCfg,
    plant: Option<Box<Plant>>,
}

impl<U> Faulty<U> {
    /// Plants a fault, before the first cycle.
    pub fn plant(&mut self, fault: Fault)
    where
        U: Block<In = UnitIn, Out = UnitOut>,
    {
        if fault == Fault::PartitionsIgnored {
            self.unit = U::new(&UnitCfg { partitions: 1, ..self.cfg.clone() });
        }
        self.plant = Some(Box::new(Plant::new(fault, &self.cfg)));
    }
    /// The unit inside.
    pub fn inner(&self) -> &U {
        &self.unit
    }
}

impl<U: Block<In = UnitIn, Out = UnitOut>> Block for Faulty<U> {
    type In = UnitIn;
    type Out = UnitOut;

    fn new(cfg: &UnitCfg) -> Self {
        Self { unit: U::new(cfg), cfg: cfg.clone(), plant: None }
    }

    fn outputs(&self, out: &mut UnitOut) {
        self.unit.outputs(out);
        if let Some(plant) = &self.plant {
            plant.outputs(out);
        }
    }

    fn step(&mut self, inp: &UnitIn) {
        let Some(plant) = &mut self.plant else {
            self.unit.step(inp);
            return;
        };
        let told = plant.tell(&self.unit, inp);
        self.unit.step(&told);
    }

    fn idle_until(&self, inp: &UnitIn) -> Option<Cycle> {
        if self.plant.is_some() { None } else { self.unit.idle_until(inp) }
    }
}

impl<U: Block<In = UnitIn, Out = UnitOut> + Inside> Inside for Faulty<U> {
    /// The blocks as they are with what they are shown, while the unit's own ports are its pins: the difference is the
    /// fault.
    fn blocks(&self, cfg: &UnitCfg, inp: &UnitIn, row: &mut [u64], f: &mut dyn FnMut(&'static str, bool, &[u64])) {
        match self.plant.clone() {
            Some(mut plant) => self.unit.blocks(cfg, &plant.tell(&self.unit, inp), row, f),
            None => self.unit.blocks(cfg, inp, row, f),
        }
    }
}
