//! Registration by work requests in scenarios: the form of its steps, and what they do.

use super::book::{Place, rights, taken_away};
use super::engine::Run;
use super::finding::Finding;
use super::schema::Action;
use crate::faults::Faulty;
use serde::{Deserialize, Serialize};
use system::Observer;
use system::driver::{RegionSpec, Registered};
use types::port::{UnitIn, UnitOut, WorkRequest};
use types::{Block, ByteCount, FastPath, FunctionId, Key, Length, Line, Op, Pd, Region, StreamId, Va};

/// A memory window (type 2).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WindowSetup {
    /// Its name in this file, beside those of regions.
    pub name: String,
    /// Function it belongs to.
    #[serde(default)]
    pub function: u16,
    /// A remote peer may invalidate it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub remote_invalidate: bool,
}

/// Registers a region's key, again or for the first time. What is not given stays.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FastRegisterSetup {
    /// Region.
    pub region: String,
    /// Stream.
    #[serde(default)]
    pub stream: u16,
    /// Verbs rights.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rights: Option<String>,
    /// Bytes, at most those that the region has in this file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    /// With another key variant.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub new_variant: bool,
    /// In other memory; what it had goes once the request is reported.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub moved: bool,
    /// Changes a word of the image by exclusive or.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spoil: Option<Spoil>,
    /// Changes the address of the image by exclusive or.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub image_xor: i64,
    /// Changes the request's key by exclusive or.
    #[serde(default, skip_serializing_if = "is_zero32")]
    pub key_xor: u32,
    /// Changes the request's protection domain by exclusive or.
    #[serde(default, skip_serializing_if = "is_zero32")]
    pub pd_xor: u32,
    /// Function that asks, if not the region's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub function: Option<u16>,
}

/// A change of one word of an image.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Spoil {
    /// The word, 0 to 7.
    pub word: usize,
    /// Its bit, 0 to 63.
    pub bit: u32,
}

/// Binds a window.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BindSetup {
    /// Window.
    pub window: String,
    /// Region.
    pub region: String,
    /// Stream.
    #[serde(default)]
    pub stream: u16,
    /// First byte in the region; modulo 2^64.
    #[serde(default)]
    pub offset: i64,
    /// Bytes.
    pub bytes: u64,
    /// Verbs rights.
    pub rights: String,
    /// Changes the parent's key in the image by exclusive or.
    #[serde(default, skip_serializing_if = "is_zero32")]
    pub parent_xor: u32,
}

/// Makes a key invalid.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeySetup {
    /// Region or window.
    pub region: String,
    /// Stream.
    #[serde(default)]
    pub stream: u16,
    /// Changes the key by exclusive or.
    #[serde(default, skip_serializing_if = "is_zero32")]
    pub key_xor: u32,
    /// Changes the protection domain by exclusive or.
    #[serde(default, skip_serializing_if = "is_zero32")]
    pub pd_xor: u32,
    /// Function that asks, if not the key's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub function: Option<u16>,
}

fn is_zero(n: &i64) -> bool {
    *n == 0
}
fn is_zero32(n: &u32) -> bool {
    *n == 0
}

impl Action {
    /// Whether it offers work requests, which have outcomes.
    pub fn is_request(&self) -> bool {
        matches!(self, Self::Request(_)) || self.registers()
    }

    /// Whether it offers a work request that registers or invalidates.
    pub fn registers(&self) -> bool {
        matches!(self, Self::FastRegister(_) | Self::Bind(_) | Self::LocalInvalidate(_) | Self::RemoteInvalidate(_))
    }
}

impl WindowSetup {
    /// What the driver is asked for: a free key. A page of memory comes with it that nothing uses.
    pub(super) fn spec(&self) -> RegionSpec {
        let remote_invalidate = self.remote_invalidate;
        let fast = FastPath { allowed: true, window: true, remote_invalidate, ..FastPath::default() };
        RegionSpec { valid: false, fast, function: FunctionId(self.function), ..RegionSpec::of(ByteCount(4096)) }
    }
}

impl<U: Block<In = UnitIn, Out = UnitOut>, O: Observer<Faulty<U>>> Run<'_, U, O> {
    /// A work request that registers or invalidates.
    fn register(&mut self, step: usize, wr: WorkRequest) {
        let id = self.work.next_id();
        self.work.push(step, WorkRequest { valid: true, id, remote: true, length: Length(0), ..wr }, Vec::new());
    }

    pub(super) fn fast_register(&mut self, i: usize, setup: &FastRegisterSetup) -> Result<(), Finding> {
        let mut place = self.place(&setup.region)?.clone();
        let scenario = self.scenario;
        let own = scenario.regions.iter().find(|r| r.name == setup.region);
        let mut region = Region { valid: true, ..place.registered.region };
        region.rights = setup.rights.as_deref().map_or(region.rights, rights);
        region.length = setup.bytes.map_or(region.length, ByteCount);
        region.variant = region.variant.wrapping_add(u8::from(setup.new_variant));
        let key = Key::new(place.registered.key.index(), region.variant);
        let mut registered = Registered { key, region, ..place.registered };
        if setup.moved
            && let Some(own) = own
        {
            let wrong = |reason: String| Finding::Scenario(reason);
            let spec = RegionSpec { start: Some(region.start), ..super::book::spec(own).map_err(wrong)? };
            registered = self.system.prepare(&spec, &region, key.index()).map_err(|e| wrong(e.to_string()))?;
            let pieces = place.move_to(registered);
            // Untranslated accesses by the old pages are refused by the IOMMU once they have gone.
            self.steps[i].moving = pieces;
        }
        place.registered = registered;
        let Line(mut words) = registered.region.encode();
        if let Some(Spoil { word, bit }) = setup.spoil {
            words[word] ^= 1 << bit;
        }
        let image = self.system.put_image(Line(words));
        let wr = WorkRequest {
            function: setup.function.map_or(region.function, FunctionId),
            stream: StreamId(setup.stream),
            op: Op::FAST_REGISTER,
            key: Key(key.0 ^ setup.key_xor),
            va: Va(image.0 ^ setup.image_xor as u64),
            pd: Pd(region.pd.0 ^ setup.pd_xor),
            ..WorkRequest::default()
        };
        let spoilt = setup.spoil.is_some() || setup.image_xor != 0 || setup.pd_xor != 0 || setup.function.is_some();
        if !spoilt && setup.key_xor == 0 {
            self.places.insert(setup.region.clone(), place);
        }
        self.register(i, wr);
        Ok(())
    }

    pub(super) fn bind(&mut self, i: usize, setup: &BindSetup) -> Result<(), Finding> {
        let parent = self.place(&setup.region)?.clone();
        let window = self.windows.get(&setup.window).copied();
        let window = window.ok_or_else(|| Finding::Scenario(format!("there is no window called {}", setup.window)))?;
        let of = &parent.registered.region;
        let variant = window.region.variant.wrapping_add(1);
        let key = Key::new(window.key.index(), variant);
        let fast = FastPath { parent: Key(parent.registered.key.0 ^ setup.parent_xor), ..window.region.fast };
        let region = Region {
            valid: true,
            variant,
            start: Va(of.start.0.wrapping_add(setup.offset as u64)),
            length: ByteCount(setup.bytes),
            rights: rights(&setup.rights),
            fast,
            mtt: types::Iova(0),
            ..window.region
        };
        let image = self.system.put_image(region.encode());
        // As it will be: pages, mode and order are the region's.
        let (mask, log2) = (of.page_size.offset_mask().0, of.page_size.log2());
        let skipped = (region.start.0 & !mask).wrapping_sub(of.start.0 & !mask);
        let bound = Region {
            page_size: of.page_size,
            mode: of.mode,
            unordered: of.unordered,
            pasid: of.pasid,
            mtt: types::Iova(of.mtt.0.wrapping_add(8 * (skipped >> log2))),
            ..region
        };
        let registered = Registered { key, region: bound, ..parent.registered };
        let inside = of.contains(region.start, u32::try_from(setup.bytes).unwrap_or(u32::MAX));
        if inside {
            self.places.insert(setup.window.clone(), parent.window(registered, skipped));
        } else {
            // It is refused: whatever asks for it goes nowhere.
            self.places.entry(setup.window.clone()).or_insert_with(|| Place::new(registered, parent.owner));
        }
        self.windows
            .insert(setup.window.clone(), Registered { key, region: Region { variant, ..window.region }, ..window });
        let wr = WorkRequest {
            function: window.region.function,
            stream: StreamId(setup.stream),
            op: Op::BIND,
            key,
            va: Va(image.0),
            pd: region.pd,
            ..WorkRequest::default()
        };
        self.register(i, wr);
        Ok(())
    }

    pub(super) fn invalidate_key(&mut self, i: usize, setup: &KeySetup, op: Op) -> Result<(), Finding> {
        let own = self.windows.get(&setup.region).copied();
        let registered = match own {
            Some(window) => window,
            None => self.place(&setup.region)?.registered,
        };
        let region = &registered.region;
        let wr = WorkRequest {
            function: setup.function.map_or(region.function, FunctionId),
            stream: StreamId(setup.stream),
            op,
            key: Key(registered.key.0 ^ setup.key_xor),
            pd: Pd(region.pd.0 ^ setup.pd_xor),
            ..WorkRequest::default()
        };
        self.register(i, wr);
        Ok(())
    }

    /// A registration was reported: what it had before goes.
    pub(super) fn registration_finished(&mut self, i: usize) -> bool {
        let pieces = std::mem::take(&mut self.steps[i].moving);
        let freed = taken_away(pieces, &mut self.system.fabric);
        self.free(freed, true);
        true
    }
}
