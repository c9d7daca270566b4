//! `rtl::atc` as a [`Dut`].

use rtl::atc::Atc;
use rtl::sim::{Sim, SimError};
use types::port::{AtcIn, AtcOut};
use types::{Dut, Ports, Slot, TlpAddr, UnitCfg};

/// The rust-hdl block in a simulation; its sizes are those of configuration `cfg`.
pub struct AtcRtl<
    const F: usize,
    const S: usize,
    const A: usize,
    const W: usize,
    const N: usize,
    const AL: usize,
    const TW: usize,
    const LW: usize,
> {
    cfg: UnitCfg,
    sim: Sim<Atc<F, S, A, W, N, AL, TW, LW>>,
}

impl<
    const F: usize,
    const S: usize,
    const A: usize,
    const W: usize,
    const N: usize,
    const AL: usize,
    const TW: usize,
    const LW: usize,
> AtcRtl<F, S, A, W, N, AL, TW, LW>
{
    /// Connects `block` for simulation.
    ///
    /// # Errors
    /// rust-hdl's own check of the block fails.
    pub fn new(cfg: &UnitCfg, block: Box<Atc<F, S, A, W, N, AL, TW, LW>>) -> Result<Self, SimError> {
        Ok(Self { cfg: cfg.clone(), sim: Sim::new(block, |b| &mut b.clock)? })
    }

    /// One cycle with inputs and outputs as structs.
    ///
    /// # Errors
    /// The block does not settle.
    pub fn step(&mut self, inp: &AtcIn) -> Result<AtcOut, SimError> {
        self.sim.cycle(|b| drive(b, inp), sample)
    }
}

fn drive<
    const F: usize,
    const S: usize,
    const A: usize,
    const W: usize,
    const N: usize,
    const AL: usize,
    const TW: usize,
    const LW: usize,
>(
    b: &mut Atc<F, S, A, W, N, AL, TW, LW>,
    inp: &AtcIn,
) {
    b.reset.next = inp.reset;
    let l = &inp.lookup;
    b.lookup_valid.next = l.valid;
    b.lookup_slot.next = u64::from(l.slot.0).into();
    b.lookup_key_function.next = u64::from(l.key.function.0).into();
    b.lookup_key_pasid_valid.next = l.key.pasid.valid;
    b.lookup_key_pasid_value.next = u64::from(l.key.pasid.pasid.0).into();
    b.lookup_key_pasid_exec.next = l.key.pasid.exec;
    b.lookup_key_pasid_priv.next = l.key.pasid.privileged;
    b.lookup_key_iova.next = l.key.iova.0.into();
    b.lookup_read.next = l.read;
    b.lookup_write.next = l.write;
    let f = &inp.fill;
    b.fill_valid.next = f.valid;
    b.fill_key_function.next = u64::from(f.key.function.0).into();
    b.fill_key_pasid_valid.next = f.key.pasid.valid;
    b.fill_key_pasid_value.next = u64::from(f.key.pasid.pasid.0).into();
    b.fill_key_pasid_exec.next = f.key.pasid.exec;
    b.fill_key_pasid_priv.next = f.key.pasid.privileged;
    b.fill_key_iova.next = f.key.iova.0.into();
    b.fill_address.next = f.address.0.into();
    b.fill_size_log2.next = u64::from(f.size_log2).into();
    b.fill_read.next = f.read;
    b.fill_write.next = f.write;
    b.fill_exec.next = f.exec;
    b.fill_global.next = f.global;
    b.fill_untranslated.next = f.untranslated;
    b.fill_no_snoop.next = f.no_snoop;
    let i = &inp.invalidate;
    b.invalidate_valid.next = i.valid;
    b.invalidate_function.next = u64::from(i.function.0).into();
    b.invalidate_pasid_valid.next = i.pasid.valid;
    b.invalidate_pasid_value.next = u64::from(i.pasid.pasid.0).into();
    b.invalidate_pasid_exec.next = i.pasid.exec;
    b.invalidate_pasid_priv.next = i.pasid.privileged;
    b.invalidate_global.next = i.global;
    b.invalidate_all.next = i.all;
    b.invalidate_iova.next = i.iova.0.into();
    b.invalidate_size_log2.next = u64::from(i.size_log2).into();
    b.inject_parity.next = inp.inject_parity;
}

fn sample<
    const F: usize,
    const S: usize,
    const A: usize,
    const W: usize,
    const N: usize,
    const AL: usize,
    const TW: usize,
    const LW: usize,
>(
    b: &Atc<F, S, A, W, N, AL, TW, LW>,
) -> AtcOut {
    let mut out = AtcOut::default();
    let (slot, epoch): (u64, u64) = (b.result_slot.val().into(), b.result_epoch.val().into());
    out.result.valid = b.result_valid.val();
    out.result.slot = Slot(slot as u16);
    out.result.hit = b.result_hit.val();
    out.result.address = TlpAddr(b.result_address.val().into());
    out.result.untranslated = b.result_untranslated.val();
    out.result.no_snoop = b.result_no_snoop.val();
    out.result.epoch = epoch as u8;
    out.fill_ready = b.fill_ready.val();
    out.fill_done = b.fill_done.val();
    out.invalidate_ready = b.invalidate_ready.val();
    out.invalidate_done = b.invalidate_done.val();
    out.stat_hit_base = b.stat_hit_base.val();
    out.stat_hit_large = b.stat_hit_large.val();
    out.stat_miss = b.stat_miss.val();
    out.stat_miss_permission = b.stat_miss_permission.val();
    out.stat_miss_pending = b.stat_miss_pending.val();
    out.stat_parity = b.stat_parity.val();
    out.stat_fill = b.stat_fill.val();
    out.stat_evict = b.stat_evict.val();
    out.stat_invalidate = b.stat_invalidate.val();
    out
}

impl<
    const F: usize,
    const S: usize,
    const A: usize,
    const W: usize,
    const N: usize,
    const AL: usize,
    const TW: usize,
    const LW: usize,
> Dut for AtcRtl<F, S, A, W, N, AL, TW, LW>
{
    /// # Panics
    /// If the block does not settle: it then has a combinational loop, which is a broken block.
    #[allow(clippy::expect_used, reason = "a Dut has no way to report a loop in the block itself")]
    fn cycle(&mut self, inp: &[u64], out: &mut [u64]) {
        let seen = self.step(&AtcIn::unpack(&self.cfg, inp)).expect("the block settles");
        seen.pack(&self.cfg, out);
    }
}
