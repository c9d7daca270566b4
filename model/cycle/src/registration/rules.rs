//! What a registration, binding or invalidation may do: the new line, or why not.

use types::port::WorkRequest;
use types::{Key, Line, Op, Region, Syndrome};

/// What a request is judged by.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Case {
    pub(super) wr: WorkRequest,
    /// The image that it names.
    pub(super) image: Line,
    /// The line under its key.
    pub(super) old: Line,
    /// The line under the key of the image's parent; not valid where that key lies outside the table.
    pub(super) parent: Line,
}

/// A line that may be written.
#[derive(Clone, Copy, Debug)]
pub(super) struct Change {
    pub(super) line: Line,
    pub(super) region: Region,
    /// Something that was allowed before is not allowed any more.
    pub(super) revokes: bool,
}

/// Key of the region that an image asks to be bound to.
pub(super) fn parent_of(image: &Line) -> Key {
    Key(image.0[5] as u32)
}

/// Whether a line has the plain MTT layout that work requests deal with.
fn plain(line: &Line) -> bool {
    line.0[0] & Region::LAYOUT == 0
}

fn owner(region: &Region, wr: &WorkRequest) -> Syndrome {
    if region.pd != wr.pd {
        Syndrome::PD
    } else if region.function != wr.function {
        Syndrome::FUNCTION
    } else {
        Syndrome::OK
    }
}

impl Case {
    /// The outcome, checks in the order that the documentation of the fast path gives.
    pub(super) fn outcome(&self) -> Result<Change, Syndrome> {
        match self.wr.op {
            Op::FAST_REGISTER => self.register(),
            Op::BIND => self.bind(),
            _ => self.invalidate(),
        }
    }

    /// The image, if it is well formed and of the request's key.
    fn image(&self, window: bool) -> Result<Region, Syndrome> {
        let image = Region::decode(&self.image);
        let end = u128::from(image.start.0) + u128::from(image.length.0);
        let fits = image.length.0 != 0 && end <= 1 << 64;
        let exact = image.encode() == self.image && plain(&self.image);
        let kind = image.fast.allowed && image.fast.window == window && !image.fast.bind;
        let unbound = window || image.fast.parent == Key(0) && image.mtt.0 & 7 == 0;
        let right = image.valid && image.variant == self.wr.key.variant();
        if right && fits && exact && kind && unbound { Ok(image) } else { Err(Syndrome::BAD_IMAGE) }
    }

    fn old(&self, image: &Region, window: bool) -> Result<Region, Syndrome> {
        let old = Region::decode(&self.old);
        if !old.fast.allowed || old.fast.window != window || window && old.valid {
            return Err(Syndrome::KEY_STATE);
        }
        for region in [&old, image] {
            let refused = owner(region, &self.wr);
            if !refused.is_ok() {
                return Err(refused);
            }
        }
        Ok(old)
    }

    fn register(&self) -> Result<Change, Syndrome> {
        let image = self.image(false)?;
        let old = self.old(&image, false)?;
        // A grant changes rights and length alone, and both towards more.
        let same = Region { rights: image.rights, length: image.length, fast: image.fast, ..old } == image;
        let more = image.rights.cover(old.rights) && image.length >= old.length;
        Ok(Change { line: self.image, region: image, revokes: old.valid && !(same && more) })
    }

    fn bind(&self) -> Result<Change, Syndrome> {
        let image = self.image(true)?;
        self.old(&image, true)?;
        let parent = Region::decode(&self.parent);
        let fits = parent.valid && parent.variant == image.fast.parent.variant() && plain(&self.parent);
        let bindable = parent.fast.bind && !parent.fast.window;
        if !fits || !bindable || !owner(&parent, &self.wr).is_ok() {
            return Err(Syndrome::BIND_PARENT);
        }
        // Ends are 65 bits wide: the image does not wrap, and the parent may not either.
        let end = |r: &Region| u128::from(r.start.0) + u128::from(r.length.0);
        if image.start < parent.start || end(&image) > end(&parent) || end(&parent) > 1 << 64 {
            return Err(Syndrome::BOUNDS);
        }
        if !parent.rights.cover(image.rights) {
            return Err(Syndrome::RIGHTS);
        }
        let mut region = Region {
            page_size: parent.page_size,
            mode: parent.mode,
            unordered: parent.unordered,
            pasid: parent.pasid,
            mtt: parent.entry_address(parent.page_index(image.start)),
            ..image
        };
        region.fast.flush = parent.fast.flush;
        Ok(Change { line: region.encode(), region, revokes: false })
    }

    fn invalidate(&self) -> Result<Change, Syndrome> {
        let old = Region::decode(&self.old);
        if !old.valid {
            return Err(Syndrome::INVALID_KEY);
        }
        if old.variant != self.wr.key.variant() {
            return Err(Syndrome::KEY_VARIANT);
        }
        let refused = owner(&old, &self.wr);
        if !refused.is_ok() {
            return Err(refused);
        }
        if !old.fast.allowed {
            return Err(Syndrome::KEY_STATE);
        }
        if self.wr.op == Op::REMOTE_INVALIDATE && !old.fast.remote_invalidate {
            return Err(Syndrome::RIGHTS);
        }
        let mut line = self.old;
        line.0[0] &= !Region::VALID;
        Ok(Change { line, region: Region { valid: false, ..old }, revokes: true })
    }
}
