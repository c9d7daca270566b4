//! Golden functional model: the judge of what is legal at the edge of the unit.
