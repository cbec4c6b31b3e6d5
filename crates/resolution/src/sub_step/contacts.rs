//! The contacts of a unit, or of a domain of it, and the passes over them: by one thread span by span, or by all threads.
#![expect(
    unsafe_code,
    reason = "calls passes that change disjoint bodies of one array; domains and colours keep them apart"
)]

use super::block::Block;
use super::blow::{exchange, exchange_back};
use super::domains::Cuts;
use super::layout::Span;
use super::passes::{Pass, Passes};
use super::rolling::{self, Rolling};
use drystone_contact::SharedBodyStates;
use drystone_exec::{Either, Exec, chunks_mut, either, segments, segments_mut};
use std::ops::Range;

/// Blocks of each class per part of a colour that all threads share: some 0.5 µs of work.
const BLOCKS_PER_PART: [usize; 3] = [2, 4, 4];
/// Blocks with rolling friction per part.
const ROLLING_PER_PART: usize = 4;

/// Blocks of all classes, in the order of spans.
pub(super) struct Contacts<'a> {
    pub(super) spans: &'a [Span],
    pub(super) four: &'a mut [Block<4, 10>],
    pub(super) two: &'a mut [Block<2, 3>],
    pub(super) one: &'a mut [Block<1, 1>],
    /// First block in each class.
    pub(super) first: [u32; 3],
    /// Those with rolling friction, and the first of them.
    pub(super) rolling: &'a mut [Rolling],
    pub(super) first_rolling: u32,
}

impl Contacts<'_> {
    /// One pass over all of them by this thread.
    ///
    /// # Safety
    /// Their bodies belong to this call alone.
    pub(super) unsafe fn pass(&mut self, pass: Pass<'_>, passes: &Passes, hot: &SharedBodyStates<'_>) {
        let spans = self.spans;
        for span in in_order(pass, spans.iter()) {
            // SAFETY: passed on, one span after the other.
            unsafe { self.pass_span(pass, span, passes, hot) };
        }
    }

    /// The same by all threads: domains side by side, what lies between them colour by colour.
    ///
    /// # Safety
    /// As [`Contacts::pass`].
    pub(super) unsafe fn pass_shared(
        &mut self,
        cuts: &Cuts<'_>,
        pass: Pass<'_>,
        passes: &Passes,
        hot: &SharedBodyStates<'_>,
        exec: &Exec,
    ) {
        let count = cuts.domain_count();
        let (within, with_ground) = (0..count, count + 1..2 * count + 1);
        let (first, last) = if pass.is_backward() { (with_ground, within) } else { (within, with_ground) };
        // SAFETY: passed on, one after the other.
        unsafe {
            self.pass_domains(cuts, first, pass, passes, hot, exec);
            self.pass_between(cuts, pass, passes, hot, exec);
            self.pass_domains(cuts, last, pass, passes, hot, exec);
        }
    }

    /// One pass over domains, each by one thread.
    ///
    /// # Safety
    /// As [`Contacts::pass`].
    unsafe fn pass_domains(
        &mut self,
        cuts: &Cuts<'_>,
        domains: Range<usize>,
        pass: Pass<'_>,
        passes: &Passes,
        hot: &SharedBodyStates<'_>,
        exec: &Exec,
    ) {
        let own = domains.start..domains.end + 1;
        let [of_four, of_two, of_one] = cuts.blocks.map(|cuts| &cuts[own.clone()]);
        let (Ok(four), Ok(two), Ok(one), Ok(rolling), Ok(spans)) = (
            segments_mut(self.four, of_four),
            segments_mut(self.two, of_two),
            segments_mut(self.one, of_one),
            segments_mut(self.rolling, &cuts.rolling[own.clone()]),
            segments(self.spans, &cuts.spans[own.clone()]),
        ) else {
            debug_assert!(false, "cuts of a unit ascend");
            return;
        };
        let (first, first_rolling) = (self.first, self.first_rolling);
        exec.for_each_static((four, two, one, rolling, spans), |k, (four, two, one, rolling, spans)| {
            let k = own.start + k;
            let first = [0, 1, 2].map(|class: usize| first[class] + cuts.blocks[class][k]);
            let first_rolling = first_rolling + cuts.rolling[k];
            let mut contacts = Contacts { spans, four, two, one, first, rolling, first_rolling };
            // SAFETY: passed on; domains share no body that moves.
            unsafe { contacts.pass(pass, passes, hot) };
        });
    }

    /// One pass over what lies between domains, colour by colour.
    ///
    /// # Safety
    /// As [`Contacts::pass`].
    unsafe fn pass_between(
        &mut self,
        cuts: &Cuts<'_>,
        pass: Pass<'_>,
        passes: &Passes,
        hot: &SharedBodyStates<'_>,
        exec: &Exec,
    ) {
        let count = cuts.domain_count();
        let spans = &self.spans[cuts.spans[count] as usize..cuts.spans[count + 1] as usize];
        let colours = spans.chunk_by(|_, next| !next.begins_colour);
        for colour in in_order(pass, colours) {
            // SAFETY: passed on, one colour after the other.
            unsafe { self.pass_colour(colour, pass, passes, hot, exec) };
        }
    }

    /// One pass over a colour, in parts whose order is of no account.
    ///
    /// # Safety
    /// As [`Contacts::pass`].
    unsafe fn pass_colour(
        &mut self,
        colour: &[Span],
        pass: Pass<'_>,
        passes: &Passes,
        hot: &SharedBodyStates<'_>,
        exec: &Exec,
    ) {
        if pass.is_backward() {
            // SAFETY: passed on, before the contacts.
            unsafe { self.roll_colour(colour, pass, passes, hot, exec) };
        }
        let is_ground = colour.first().is_some_and(|span| span.is_ground);
        let mut own = [0..0, 0..0, 0..0];
        colour.iter().for_each(|span| own[span.class] = self.blocks_of(span));
        let [of_four, of_two, of_one] = own;
        let [per_four, per_two, per_one] = BLOCKS_PER_PART;
        let four = chunks_mut(&mut self.four[of_four], per_four);
        let (two, one) =
            (chunks_mut(&mut self.two[of_two], per_two), chunks_mut(&mut self.one[of_one], per_one));
        // SAFETY: passed on; the blocks of a colour share no body that moves.
        exec.for_each_static(either(four, either(two, one)), |_, part| unsafe {
            match part {
                Either::First(blocks) => passes.over(pass, is_ground, blocks, hot),
                Either::Second(Either::First(blocks)) => passes.over(pass, is_ground, blocks, hot),
                Either::Second(Either::Second(blocks)) => passes.over(pass, is_ground, blocks, hot),
            }
        });
        if !pass.is_backward() {
            // SAFETY: passed on, after the contacts.
            unsafe { self.roll_colour(colour, pass, passes, hot, exec) };
        }
    }

    /// Rolling friction of a colour, in parts whose order is of no account.
    ///
    /// # Safety
    /// As [`Contacts::pass`].
    unsafe fn roll_colour(
        &mut self,
        colour: &[Span],
        pass: Pass<'_>,
        passes: &Passes,
        hot: &SharedBodyStates<'_>,
        exec: &Exec,
    ) {
        if !pass.has_rolling() {
            return;
        }
        for span in colour {
            let (own, first) = (self.rolling_of(span), [span.class as u32, self.first[span.class]]);
            let parts = chunks_mut(&mut self.rolling[own], ROLLING_PER_PART);
            let blocks = (&*self.four, &*self.two, &*self.one);
            // SAFETY: passed on; the blocks of a colour share no body that moves.
            exec.for_each_static(parts, |_, part| unsafe {
                roll_over(pass, passes, first, blocks, part, hot)
            });
        }
    }

    /// One pass over a span: rolling friction after the contacts on the way there, before them on the way back.
    ///
    /// # Safety
    /// As [`Contacts::pass`].
    #[inline(always)]
    unsafe fn pass_span(&mut self, pass: Pass<'_>, span: &Span, passes: &Passes, hot: &SharedBodyStates<'_>) {
        if pass.is_backward() {
            // SAFETY: passed on, before the contacts.
            unsafe { self.roll_span(pass, span, passes, hot) };
        }
        let own = self.blocks_of(span);
        // SAFETY: passed on.
        unsafe {
            match span.class {
                0 => passes.over(pass, span.is_ground, &mut self.four[own], hot),
                1 => passes.over(pass, span.is_ground, &mut self.two[own], hot),
                _ => passes.over(pass, span.is_ground, &mut self.one[own], hot),
            }
        }
        if !pass.is_backward() {
            // SAFETY: passed on, after the contacts.
            unsafe { self.roll_span(pass, span, passes, hot) };
        }
    }

    /// Rolling friction of a span.
    ///
    /// # Safety
    /// As [`Contacts::pass`].
    #[inline(always)]
    unsafe fn roll_span(&mut self, pass: Pass<'_>, span: &Span, passes: &Passes, hot: &SharedBodyStates<'_>) {
        let own = self.rolling_of(span);
        if !pass.has_rolling() || own.is_empty() {
            return;
        }
        let first = [span.class as u32, self.first[span.class]];
        let blocks = (&*self.four, &*self.two, &*self.one);
        // SAFETY: passed on.
        unsafe { roll_over(pass, passes, first, blocks, &mut self.rolling[own], hot) };
    }

    /// [`exchange`] for all blocks.
    pub(super) fn exchange(&mut self) {
        exchange(self.four);
        exchange(self.two);
        exchange(self.one);
    }

    /// [`exchange_back`] for all blocks.
    pub(super) fn exchange_back(&mut self) {
        exchange_back(self.four);
        exchange_back(self.two);
        exchange_back(self.one);
    }

    /// Blocks of a span, in its class.
    #[inline]
    fn blocks_of(&self, span: &Span) -> Range<usize> {
        let first = self.first[span.class];
        (span.blocks.start - first) as usize..(span.blocks.end - first) as usize
    }

    /// Its blocks with rolling friction.
    #[inline]
    fn rolling_of(&self, span: &Span) -> Range<usize> {
        let first = self.first_rolling;
        if span.rolling.is_empty() {
            return 0..0;
        }
        (span.rolling.start - first) as usize..(span.rolling.end - first) as usize
    }
}

/// What a pass goes over, in its order: reversed on the way back.
#[inline(always)]
fn in_order<I: DoubleEndedIterator>(pass: Pass<'_>, mut all: I) -> impl Iterator<Item = I::Item> {
    std::iter::from_fn(move || if pass.is_backward() { all.next_back() } else { all.next() })
}

/// Blocks of all classes, to be read.
type AllBlocks<'a> = (&'a [Block<4, 10>], &'a [Block<2, 3>], &'a [Block<1, 1>]);

/// Rolling friction of some blocks of a class; `first` is the first block that is here in it.
///
/// # Safety
/// As [`Contacts::pass`].
unsafe fn roll_over(
    pass: Pass<'_>,
    passes: &Passes,
    [class, first]: [u32; 2],
    (four, two, one): AllBlocks<'_>,
    part: &mut [Rolling],
    hot: &SharedBodyStates<'_>,
) {
    // SAFETY: passed on.
    unsafe {
        match class {
            0 => rolling::over(pass, passes.isa, four, first, part, hot),
            1 => rolling::over(pass, passes.isa, two, first, part, hot),
            _ => rolling::over(pass, passes.isa, one, first, part, hot),
        }
    }
}
