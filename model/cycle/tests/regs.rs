//! `regs` alone: the register map over AXI4-Lite and exact counts.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod axi;

use axi::{Chance, Stream, edge, sample};
use cycle::regs::{ID, OKAY, Regs, SLVERR, VERSION};
use types::UnitCfg;
use types::access::Mode;
use types::addr::Iova;
use types::config::NAMED;
use types::port::{PageEvent, PageResume, RegsIn, RegsOut, StatBus, TableControl, stat_sources};
use types::ports::{Block, Cycle};

struct Bench {
    dut: Regs,
    out: RegsOut,
    inp: RegsIn,
    cycle: u64,
    write: Stream<(bool, u8)>,
    read: Stream<(bool, u32, u8)>,
}

impl Bench {
    fn new() -> Self {
        let mut dut = Regs::new(&cfg());
        dut.step(&RegsIn { reset: true, ..RegsIn::default() });
        Self {
            dut,
            out: RegsOut::default(),
            inp: RegsIn::default(),
            cycle: 0,
            write: Stream::new("b"),
            read: Stream::new("r"),
        }
    }

    fn tick(&mut self) {
        sample(&self.dut, &mut self.out);
        let (o, i) = (&self.out, &self.inp);
        self.write.observe(o.bvalid, i.bready, &(o.bvalid, o.bresp));
        self.read.observe(o.rvalid, i.rready, &(o.rvalid, o.rdata, o.rresp));
        edge(&mut self.dut, &self.inp, &self.out);
        self.cycle += 1;
    }

    /// Reads a register; response and data.
    fn read(&mut self, address: u16) -> (u8, u32) {
        (self.inp.arvalid, self.inp.araddr, self.inp.rready) = (true, address, true);
        loop {
            self.tick();
            if self.out.arready {
                self.inp.arvalid = false;
            }
            if self.out.rvalid {
                return (self.out.rresp, self.out.rdata);
            }
            assert!(self.cycle < 1_000_000);
        }
    }

    /// Writes a register; the data goes `lead` cycles before (or behind) the address.
    fn write(&mut self, address: u16, data: u32, strobes: u8, lead: i32) -> u8 {
        self.inp.bready = true;
        let start = self.cycle;
        let (mut aw, mut w) = (true, true);
        loop {
            let elapsed = (self.cycle - start) as i32;
            self.inp.awvalid = aw && elapsed >= lead;
            self.inp.wvalid = w && elapsed >= -lead;
            (self.inp.awaddr, self.inp.wdata, self.inp.wstrb) = (address, data, strobes);
            self.tick();
            aw &= !(self.inp.awvalid && self.out.awready);
            w &= !(self.inp.wvalid && self.out.wready);
            if self.out.bvalid {
                (self.inp.awvalid, self.inp.wvalid) = (false, false);
                return self.out.bresp;
            }
            assert!(elapsed < 100);
        }
    }
}

fn cfg() -> UnitCfg {
    NAMED[1].1.clone()
}

#[test]
fn identity_and_reset_values() {
    let mut bench = Bench::new();
    // "RNIC" in ASCII.
    assert_eq!(bench.read(0), (OKAY, u32::from_be_bytes(*b"RNIC")));
    assert_eq!(ID, 0x524e_4943);
    assert_eq!(bench.read(4), (OKAY, VERSION));
    for address in [0x00c, 0x010, 0x014, 0x018] {
        assert_eq!(bench.read(address), (OKAY, 0));
    }
    // Disabled, direct.
    assert_eq!(bench.read(0x008), (OKAY, 0b010));
    assert_eq!(bench.out.control, TableControl { mode: Mode::Direct, timeout: 48_828, ..TableControl::default() });
}

#[test]
fn table_registers() {
    for lead in [-3, 0, 3] {
        let mut bench = Bench::new();
        assert_eq!(bench.write(0x010, 0x89ab_cdff, 0xf, lead), OKAY);
        assert_eq!(bench.write(0x014, 0x0123_4567, 0xf, lead), OKAY);
        assert_eq!(bench.write(0x018, 0xffff_ffff, 0xf, lead), OKAY);
        assert_eq!(bench.write(0x008, 0b111, 0xf, lead), OKAY);
        // The base is 64-byte aligned, the number of entries has 25 bits.
        let expected = TableControl {
            enable: true,
            mode: Mode::Emtt,
            mpt_base: Iova(0x0123_4567_89ab_cdc0),
            mpt_entries: 0x1ff_ffff,
            timeout: 48_828,
            page_events: false,
            image_base: Iova(0xfedc_ba98_7654_3240),
            images: 1 << 16,
        };
        assert_eq!(bench.write(0x070, 0x7654_327f, 0xf, lead), OKAY);
        assert_eq!(bench.write(0x074, 0xfedc_ba98, 0xf, lead), OKAY);
        assert_eq!(bench.write(0x078, 0xffff_ffff, 0xf, lead), OKAY);
        assert_eq!([0x070, 0x074, 0x078].map(|at| bench.read(at).1), [0x7654_3240, 0xfedc_ba98, 1 << 16]);
        assert_eq!(bench.out.control, expected);
        assert_eq!(bench.read(0x008), (OKAY, 0b111));
        assert_eq!(bench.read(0x00c), (OKAY, 1));
        assert_eq!(bench.read(0x010), (OKAY, 0x89ab_cdc0));
        assert_eq!(bench.read(0x014), (OKAY, 0x0123_4567));
        // One byte of four.
        assert_eq!(bench.write(0x014, 0xffff_ffff, 0b0010, lead), OKAY);
        assert_eq!(bench.read(0x014), (OKAY, 0x0123_ff67));
        for (bits, mode) in [(0, Mode::Direct), (1, Mode::Direct), (2, Mode::Ats), (3, Mode::Emtt)] {
            assert_eq!(bench.write(0x008, bits << 1, 0xf, lead), OKAY);
            assert_eq!((bench.out.control.mode, bench.out.control.enable), (mode, false));
        }
    }
}

#[test]
fn what_cannot_be_read_or_written() {
    let mut bench = Bench::new();
    let count = stat_sources(&cfg()).len() as u16;
    let end = 0x400 + 4 * count;
    for address in [0x09c, 0x3fc, end, 0xffc] {
        assert_eq!(bench.read(address), (SLVERR, 0), "{address:#x}");
        assert_eq!(bench.write(address, 1, 0xf, 0), SLVERR, "{address:#x}");
    }
    let control = bench.out.control;
    for address in [0x000, 0x004, 0x00c, 0x040, 0x050, 0x054, 0x058, 0x05c, 0x080, 0x084, 0x088, 0x400, end - 4] {
        assert_eq!(bench.write(address, 0xffff_ffff, 0xf, 0), SLVERR, "{address:#x}");
        assert_eq!(bench.read(address).0, OKAY);
    }
    assert_eq!((bench.read(0), bench.out.control), ((OKAY, ID), control));
}

#[test]
fn events_queue_up_and_the_answer_is_one_pulse() {
    let mut bench = Bench::new();
    assert_eq!(bench.write(0x04c, 0xffff_ffff, 0xf, 0), OKAY);
    assert_eq!((bench.read(0x04c), bench.out.control.page_events), ((OKAY, 1), true));
    assert_eq!(bench.write(0x044, 0xffff_ffff, 0xf, 0), OKAY);
    assert_eq!(bench.read(0x044), (OKAY, 0b111));
    assert!(!bench.out.irq);
    let event = |n: u64| PageEvent {
        valid: true,
        function: types::FunctionId(n as u16 & 3),
        index: 0x12_3450 + n as u32,
        va: types::Va(0x0123_4567_89ab_c000 + n),
        write: n & 1 == 1,
        number: (n as u8) & 7,
    };
    // The queue has eight places; the ninth waits.
    for n in 0..8 {
        assert!(bench.out.event_ready, "{n}");
        bench.inp.event = event(n);
        bench.tick();
    }
    bench.inp.event = event(8);
    bench.tick();
    bench.tick();
    assert!(!bench.out.event_ready && bench.out.irq);
    for n in 0..9 {
        let held = if n == 0 { 8 } else { 9 - n };
        let status = held as u32 | (n as u32 & 3) << 8 | (n as u32 & 1) << 16 | (n as u32 & 7) << 20;
        assert_eq!(bench.read(0x050), (OKAY, status), "{n}");
        assert_eq!(bench.read(0x054), (OKAY, 0x12_3450 + n as u32));
        assert_eq!(bench.read(0x058), (OKAY, 0x89ab_c000 + n as u32));
        assert_eq!(bench.read(0x05c), (OKAY, 0x0123_4567));
        assert_eq!(bench.write(0x060, 0, 0xf, 0), OKAY);
        bench.tick();
        bench.inp.event = PageEvent::default();
    }
    assert_eq!(bench.read(0x050), (OKAY, 0));
    assert_eq!(bench.write(0x060, 0, 0xf, 0), OKAY, "an empty queue stays empty");
    assert_eq!((bench.read(0x050), bench.read(0x048)), ((OKAY, 0), (OKAY, 0b10)));
    assert_eq!(bench.write(0x048, 0b01, 0xf, 0), OKAY);
    assert!(bench.out.irq, "the other cause");
    assert_eq!(bench.write(0x048, 0b10, 0xf, 0), OKAY);
    bench.tick();
    assert!(!bench.out.irq);
    for (value, number, all, refuse) in
        [(0x7512_3456, 5, false, false), (0x8012_3456, 0, false, true), (0x0812_3456, 0, true, false)]
    {
        assert_eq!(bench.write(0x064, value, 0xf, 0), OKAY);
        // It stands beside the response, for one cycle.
        assert_eq!(bench.out.resume, PageResume { valid: true, index: 0x12_3456, number, all, refuse });
        bench.tick();
        assert_eq!((bench.out.resume, bench.read(0x064)), (PageResume::default(), (OKAY, 0)));
    }
}

#[test]
fn latencies() {
    let mut bench = Bench::new();
    bench.read(0);
    // `ar` was taken in cycle 0, data stood there in cycle 3; the response was taken at once.
    assert_eq!(bench.cycle - 1, 3);
    bench.inp.rready = false;
    bench.tick();
    let start = bench.cycle;
    bench.write(0x008, 1, 0xf, 0);
    assert_eq!(bench.cycle - 1, start + 2);
    assert!(bench.out.control.enable, "in force with the response");
}

#[test]
fn responses_wait_and_the_block_idles() {
    let mut bench = Bench::new();
    let quiet = RegsIn::default();
    assert_eq!(bench.dut.idle_until(&quiet), Some(Cycle(u64::MAX)));
    (bench.inp.arvalid, bench.inp.araddr) = (true, 0);
    bench.tick();
    assert_eq!(bench.dut.idle_until(&quiet), None);
    bench.inp.arvalid = false;
    (0..20).for_each(|_| bench.tick());
    assert_eq!((bench.out.rvalid, bench.out.rdata, bench.out.arready), (true, ID, false));
    assert_eq!(bench.dut.idle_until(&quiet), Some(Cycle(u64::MAX)), "only ready can change it");
    bench.inp.rready = true;
    assert_eq!(bench.dut.idle_until(&bench.inp), None);
    bench.tick();
    bench.tick();
    assert!(!bench.out.rvalid && bench.out.arready);
}

#[test]
fn counts_are_exact_at_any_rate_and_in_any_cycle() {
    let sources = stat_sources(&cfg());
    let mut chance = Chance::new(9);
    let mut bench = Bench::new();
    let mut expected = vec![0u32; sources.len()];
    for (round, percent) in [100, 0, 50, 3].into_iter().enumerate() {
        for _ in 0..3000 {
            step_counts(&mut bench, &mut chance, percent, &mut expected);
        }
        for i in 0..sources.len() {
            // Counting goes on during the read; the value is that of the edges before the sum, two after `ar`.
            (bench.inp.arvalid, bench.inp.araddr, bench.inp.rready) = (true, 0x400 + 4 * i as u16, false);
            step_counts(&mut bench, &mut chance, percent, &mut expected);
            bench.inp.arvalid = false;
            step_counts(&mut bench, &mut chance, percent, &mut expected);
            let sum = expected[i];
            step_counts(&mut bench, &mut chance, percent, &mut expected);
            bench.inp.rready = true;
            step_counts(&mut bench, &mut chance, percent, &mut expected);
            assert_eq!((bench.out.rvalid, bench.out.rdata), (true, sum), "round {round}, {}", sources[i].key);
        }
    }
}

/// One cycle with random increments.
fn step_counts(bench: &mut Bench, chance: &mut Chance, percent: u64, expected: &mut [u32]) {
    let mut bus = StatBus::default();
    let mut bit = 0;
    for (source, total) in stat_sources(&cfg()).iter().zip(expected) {
        for i in 0..source.width {
            if chance.percent(percent) {
                bus.0[bit / 64] |= 1 << (bit % 64);
                *total += 1 << i;
            }
            bit += 1;
        }
    }
    bench.inp.stat = bus;
    bench.tick();
}

#[test]
fn a_command_is_held_until_it_is_done_and_raises_the_interrupt() {
    let mut bench = Bench::new();
    for (address, value) in [
        (0x020, 0x12_3456),
        (0x024, 3),
        (0x028, 0x89ab_cdc0),
        (0x02c, 0x1),
        (0x030, 64),
        (0x034, 0x4000_0000),
        (0x038, 0x100),
        (0x044, 1),
    ] {
        assert_eq!(bench.write(address, value, 0xf, 0), OKAY);
    }
    assert!(!bench.out.command.valid);
    assert_eq!(bench.write(0x03c, 0b11, 0xf, 0), OKAY);
    let command = bench.out.command;
    assert_eq!((command.valid, command.flush, command.index, command.function.0), (true, true, 0x12_3456, 3));
    assert_eq!((command.entries.0, command.count, command.address.0), (0x1_89ab_cdc0, 64, 0x100_4000_0000));
    // Busy: nothing of it changes.
    assert_eq!(bench.read(0x040), (OKAY, 1));
    assert_eq!((bench.write(0x020, 1, 0xf, 0), bench.write(0x03c, 1, 0xf, 0)), (SLVERR, SLVERR));
    assert_eq!((bench.out.command, bench.out.irq), (command, false));
    bench.inp.command_done = true;
    bench.tick();
    bench.inp.command_done = false;
    // Outputs are those before the edge.
    bench.tick();
    assert_eq!((bench.out.command.valid, bench.out.irq), (false, true));
    assert_eq!(bench.read(0x040), (OKAY, 1 << 16));
    assert_eq!((bench.read(0x048), bench.write(0x048, 0, 0xf, 0)), ((OKAY, 1), OKAY));
    assert!(bench.out.irq, "a zero clears nothing");
    assert_eq!(bench.write(0x048, 1, 0xf, 0), OKAY);
    assert!(!bench.out.irq);
}
