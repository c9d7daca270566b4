//! The driver's book of a run: where every page is, what was taken away, and the frames pages move to.

use super::schema::{RegionSetup, RemapSetup, RevokeSetup};
use std::collections::BTreeMap;
use system::driver::{RegionSpec, Registered};
use system::fabric::{Fabric, IoRange, Scatter};
use types::bits::mask;
use types::{
    BusAddr, ByteCount, FastPath, FunctionId, Iova, Length, Mode, MttEntry, Owner, PageIndex, PageSize, Pasid,
    PasidPrefix, Pd, Rights, TlpAddr, Va,
};

/// A region of the scenario.
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub(super) registered: Registered,
    pub(super) owner: Owner,
    /// Pieces of its IOMMU mapping, in order of their IOVA.
    pieces: Vec<IoRange>,
    /// Its mapping has changed, or is going to: where bytes are is not known beforehand.
    pub(super) moves: bool,
}

/// What the driver asks for.
pub(super) fn spec(setup: &RegionSetup) -> Result<RegionSpec, String> {
    let page = |bytes: u64| {
        let log2 = bytes.is_power_of_two().then(|| bytes.trailing_zeros() as u8);
        log2.and_then(PageSize::from_log2).ok_or_else(|| format!("region {}: {bytes} is no page size", setup.name))
    };
    Ok(RegionSpec {
        start: setup.start.map(|va| Va(va as u64)),
        page: page(setup.page_bytes)?,
        io_page: page(setup.translation_bytes)?,
        owner: setup.memory,
        mode: setup.mode,
        rights: rights(&setup.rights),
        pd: Pd(1),
        function: FunctionId(setup.function),
        pasid: PasidPrefix {
            valid: setup.pasid.is_some(),
            pasid: Pasid(setup.pasid.unwrap_or(0)),
            exec: setup.execute,
            privileged: setup.privileged,
        },
        unordered: setup.unordered,
        paged: setup.paged,
        filled_on_demand: setup.filled_on_demand,
        coherent: setup.coherent,
        fast: FastPath {
            allowed: setup.work_requests.contains('r'),
            remote_invalidate: setup.work_requests.contains('i'),
            bind: setup.work_requests.contains('b'),
            ..FastPath::default()
        },
        valid: !setup.free,
        layout: setup.layout,
        table_fault: setup.table_fault,
        page_rights: (setup.pages.contains('r'), setup.pages.contains('w')),
        ..RegionSpec::of(ByteCount(setup.bytes))
    })
}

/// Verbs rights by their letters.
pub(super) fn rights(letters: &str) -> Rights {
    let has = |c: char| letters.contains(c);
    Rights { local_write: has('L'), remote_read: has('R'), remote_write: has('W'), remote_atomic: has('A') }
}

impl Place {
    /// A window over the part of this region that starts `skipped` bytes behind its first page.
    pub(super) fn window(&self, registered: Registered, skipped: u64) -> Self {
        let io = self.registered.io;
        let io = IoRange { base: Iova(io.base.0 + skipped), length: ByteCount(io.length.0 - skipped), ..io };
        Self { registered: Registered { io, ..registered }, ..self.clone() }
    }

    /// The region stands in other memory; what it had is returned, to be taken away.
    pub(super) fn move_to(&mut self, registered: Registered) -> Vec<IoRange> {
        self.registered = registered;
        std::mem::replace(&mut self.pieces, vec![registered.io])
    }

    pub(super) fn new(registered: Registered, owner: Owner) -> Self {
        Self { registered, owner, pieces: vec![registered.io], moves: false }
    }

    /// Moves the region to the IOVAs of another one.
    pub(super) fn stand_at(&mut self, fabric: &mut Fabric, other: &Self) -> Vec<(PageIndex, MttEntry)> {
        let shared = other.registered.io.pasid == self.registered.io.pasid;
        let base = other.registered.io.base;
        for piece in &mut self.pieces {
            fabric.unmap(*piece);
            piece.base = base;
            if !shared {
                fabric.map(*piece);
            }
        }
        if shared {
            self.pieces.clone_from(&other.pieces);
        }
        self.registered.io.base = base;
        (0..self.registered.pages()).map(|i| (PageIndex(i), self.registered.entry(PageIndex(i)))).collect()
    }

    /// The IOMMU gives other rights than the MTT.
    pub(super) fn restrict(&mut self, fabric: &mut Fabric, rights: &str) {
        let has = |c: char| rights.contains(c);
        for piece in &mut self.pieces {
            fabric.unmap(*piece);
            (piece.read, piece.write, piece.untranslated_only) = (has('r'), has('w'), has('u'));
            piece.exec = has('x');
            fabric.map(*piece);
        }
    }

    /// Whether the region's MTT entries hold bus addresses, so that the tables change where its pages move.
    pub(super) fn in_tables(&self) -> bool {
        self.registered.mode == Mode::Emtt && self.owner == Owner::Gpu && !self.by_ats()
    }

    /// Whether its translations come through ATS, so that an invalidation takes them away.
    pub(super) fn by_ats(&self) -> bool {
        self.registered.mode == Mode::Ats || self.registered.region.coherent
    }

    /// The MTT entries of pages that were remapped.
    pub(super) fn entries(&self, setup: &RemapSetup) -> Vec<(PageIndex, MttEntry)> {
        let (io, region) = (self.registered.io, self.registered.region);
        let (first, bytes) = (setup.page << io.page.log2(), setup.pages << io.page.log2());
        let log2 = region.page_size.log2();
        let pages = first >> log2..((first + bytes) >> log2).min(self.registered.pages());
        pages
            .map(|page| {
                let iova = Iova(io.base.0 + (page << log2));
                let piece = self.pieces.iter().find(|p| iova.0.wrapping_sub(p.base.0) < p.length.0);
                let entry = piece.zip(self.bus(iova)).map(|(piece, address)| MttEntry {
                    address: TlpAddr(address.0),
                    present: true,
                    owner: Owner::Gpu,
                    write: piece.write,
                    read: piece.read,
                    ..MttEntry::default()
                });
                (PageIndex(page), entry.unwrap_or_default())
            })
            .collect()
    }

    /// Whether a revocation flushes: where it is not said, where the region's writes go to a peer.
    pub(super) fn flushed(&self, setup: &RevokeSetup) -> bool {
        let to_peer = self.owner == Owner::Gpu && matches!(self.registered.mode, Mode::Ats | Mode::Emtt);
        setup.flush.unwrap_or(to_peer)
    }

    /// Whether the flush of a revocation pushes every write: it goes the way of translated ones. A translation with U sends
    /// them another way, and `answers_change` says that one may have got it on its way.
    pub(super) fn pushed(&self, setup: &RevokeSetup, answers_change: bool) -> bool {
        let untranslated = answers_change || self.pieces.iter().any(|p| p.untranslated_only);
        self.flushed(setup) && (self.in_tables() || !untranslated)
    }

    /// Whether the IOMMU lets writes through; the fabric drops those that it does not.
    pub(super) fn writable(&self) -> bool {
        self.pieces.iter().all(|p| p.write)
    }

    fn within(&self, offset: u64) -> u64 {
        self.registered.region.start.0 % self.registered.region.page_size.bytes().0 + offset
    }

    /// IOVA of byte `offset` of the region.
    pub(super) fn iova(&self, offset: u64) -> Iova {
        Iova(self.registered.io.base.0 + self.within(offset))
    }

    /// Bus address that an IOVA of the region has now.
    fn bus(&self, iova: Iova) -> Option<BusAddr> {
        let piece = self.pieces.iter().find(|p| iova.0.wrapping_sub(p.base.0) < p.length.0)?;
        let offset = iova.0 - piece.base.0;
        let page = piece.scatter.page_address(offset >> piece.page.log2(), piece.page);
        Some(BusAddr(page.0 | offset & piece.page.offset_mask().0))
    }

    /// Bus address of the region's first page that is mapped.
    pub(super) fn first(&self) -> Option<BusAddr> {
        self.pieces.first().and_then(|p| self.bus(p.base))
    }

    /// Where bytes of a request are in memory: message offset, address, bytes, cut at 4 KiB.
    pub(super) fn places(&self, offset: u64, length: u32) -> Vec<(u32, BusAddr, u32)> {
        let piece = |at: u32, n: u32| self.bus(self.iova(offset + u64::from(at))).map(|address| (at, address, n));
        cut(self.within(offset), length).filter_map(|(at, n)| piece(at, n)).collect()
    }

    /// Addresses at which the TLPs of a request leave, pieces in order.
    pub(super) fn leaves(&self, mode: Mode, offset: u64, length: u32) -> Vec<(TlpAddr, Length)> {
        let mut out: Vec<(TlpAddr, Length)> = Vec::new();
        for (at, n) in cut(self.within(offset), length) {
            let iova = self.iova(offset + u64::from(at));
            let translated = match mode {
                _ if self.by_ats() => !self.pieces.iter().any(|p| p.untranslated_only),
                Mode::Emtt => self.owner == Owner::Gpu,
                _ => false,
            };
            let address = if translated { self.bus(iova).unwrap_or_default().0 } else { iova.0 };
            match out.last_mut() {
                Some((start, length)) if start.0 + u64::from(length.0) == address => length.0 += n,
                _ => out.push((TlpAddr(address), Length(n))),
            }
        }
        out
    }

    /// Takes the whole mapping away. The bus addresses that are out of use are returned.
    pub(super) fn unmap(&mut self, fabric: &mut Fabric) -> Vec<(u64, u64)> {
        taken_away(std::mem::take(&mut self.pieces), fabric)
    }

    /// Cuts the mapping so that `count` pages from IOVA `base` on are a piece of their own each, and gives those out.
    fn take(&mut self, fabric: &mut Fabric, base: Iova, count: u64) -> Vec<IoRange> {
        let page = self.registered.io.page;
        let end = base.0 + (count << page.log2());
        let mut taken = Vec::new();
        for piece in std::mem::take(&mut self.pieces) {
            let last = piece.base.0 + piece.length.0;
            if last <= base.0 || piece.base.0 >= end {
                self.pieces.push(piece);
                continue;
            }
            fabric.unmap(piece);
            let (from, to) = (base.0.max(piece.base.0), end.min(last));
            for (start, stop) in [(piece.base.0, from), (to, last)] {
                if start < stop {
                    let rest = part(&piece, start, stop);
                    fabric.map(rest);
                    self.pieces.push(rest);
                }
            }
            let pages = (from..to).step_by(page.bytes().0 as usize);
            taken.extend(pages.map(|at| part(&piece, at, at + page.bytes().0)));
        }
        self.pieces.sort_unstable_by_key(|p| p.base);
        taken
    }

    /// Changes the IOMMU's mapping. The bus addresses that are out of use are returned.
    pub(super) fn remap(&mut self, fabric: &mut Fabric, setup: &RemapSetup, frames: &mut Frames) -> Vec<(u64, u64)> {
        let log2 = self.registered.io.page.log2();
        let base = Iova(self.registered.io.base.0 + (setup.page << log2));
        let mut freed = Vec::new();
        for old in self.take(fabric, base, setup.pages) {
            let BusAddr(frame) = old.scatter.page_address(0, old.page);
            let mut new =
                IoRange { untranslated_only: setup.untranslated_only.unwrap_or(old.untranslated_only), ..old };
            if setup.to == "out" {
                fabric.map(old);
                fabric.page_out(old.base, old.pasid);
                self.pieces.push(old);
                continue;
            }
            if setup.to == "moved" {
                new.scatter = Scatter::linear(frames.next(self.owner, old.page));
                freed.push((frame, frame + old.length.0 - 1));
            } else if setup.to.is_empty() {
                freed.push((frame, frame + old.length.0 - 1));
                continue;
            } else {
                (new.read, new.write) = (setup.to.contains('r'), setup.to.contains('w'));
            }
            fabric.map(new);
            self.pieces.push(new);
        }
        self.pieces.sort_unstable_by_key(|p| p.base);
        freed
    }
}

/// Unmaps pieces. The bus addresses that are out of use are returned.
pub(super) fn taken_away(pieces: Vec<IoRange>, fabric: &mut Fabric) -> Vec<(u64, u64)> {
    let mut freed = Vec::new();
    for piece in pieces {
        fabric.unmap(piece);
        let pages = piece.length.0 >> piece.page.log2();
        freed.extend((0..pages).map(|i| {
            let BusAddr(frame) = piece.scatter.page_address(i, piece.page);
            (frame, frame + piece.page.offset_mask().0)
        }));
    }
    freed
}

/// Message offsets and lengths of the pieces of a request, cut at 4 KiB.
fn cut(within: u64, length: u32) -> impl Iterator<Item = (u32, u32)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let n = (4096 - ((within + u64::from(at)) & 0xfff) as u32).min(length - at);
        at += n;
        (n > 0).then(|| (at - n, n))
    })
}

/// The part of a mapping from IOVA `start` to `stop`, at page boundaries.
fn part(piece: &IoRange, start: u64, stop: u64) -> IoRange {
    let skipped = (start - piece.base.0) >> piece.page.log2();
    let s = piece.scatter;
    let offset = s.offset.wrapping_add(skipped.wrapping_mul(s.multiplier)) & mask(s.log2);
    IoRange { base: Iova(start), length: ByteCount(stop - start), scatter: Scatter { offset, ..s }, ..*piece }
}

/// Memory for pages that move.
#[derive(Clone, Debug, Default)]
pub(super) struct Frames(BTreeMap<(bool, u8), (Registered, u64)>);

/// Frames of one size.
pub(super) const FRAMES: u64 = 64;

impl Frames {
    pub(super) fn key(owner: Owner, page: PageSize) -> (bool, u8) {
        (owner == Owner::Gpu, page.log2())
    }
    pub(super) fn has(&self, owner: Owner, page: PageSize) -> bool {
        self.0.contains_key(&Self::key(owner, page))
    }
    /// Frames are the pages of a region that nothing else uses.
    pub(super) fn add(&mut self, owner: Owner, page: PageSize, region: Registered) {
        self.0.insert(Self::key(owner, page), (region, 0));
    }
    fn next(&mut self, owner: Owner, page: PageSize) -> BusAddr {
        match self.0.get_mut(&Self::key(owner, page)) {
            Some((region, next)) => {
                // Wraps after as many moves as the schema check allows.
                let frame = region.io.scatter.page_address(*next % FRAMES, page);
                *next += 1;
                frame
            }
            None => BusAddr(0),
        }
    }
}
