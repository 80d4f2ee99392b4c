//! How priced searches value words and channels.

/// How a search prices words and channels. Where channels continue each other, many words follow the same
/// channels and could replace each other in turn for ever; words that were just placed must be dear there.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pricing {
    /// The price of ejecting a word is this times its scarcity to a power.
    pub unit: f64,
    pub power: f64,
    /// What a use of a free slot pays: this times the scarcity of the channel.
    pub toll: f64,
    /// And this times how busy the channel is, to a power.
    pub busy_toll: f64,
    pub busy_power: i32,
    /// How much dearer a word becomes when it is placed, and the insertions per word after which half of
    /// that is forgotten.
    pub penalty: f64,
    pub half_life: f64,
    /// If this is more than 0, the price of ejecting a word is at least what was paid for ejecting others when it
    /// was placed, plus this.
    pub step: f64,
    /// Placed words that are tested per insertion, once few are left to be placed, and the part of their price
    /// that those pay that have another free place.
    pub tested: usize,
    pub loose: f64,
    /// How much dearer than the cheapest start the chosen one may be. With more noise than the price of
    /// ejecting a short word, nothing stays in place.
    pub noise: usize,
}

const QUICK: Pricing = Pricing {
    unit: 25.0,
    power: 1.5,
    toll: 100.0,
    busy_toll: 400.0,
    busy_power: 14,
    penalty: 50.0,
    half_life: 2.0,
    step: 0.0,
    tested: 0,
    loose: 1.0,
    noise: 40,
};
const NOISY: Pricing = Pricing {
    unit: 50.0,
    power: 1.3,
    toll: 600.0,
    busy_toll: 2000.0,
    busy_power: 30,
    penalty: 2.0,
    half_life: 0.8,
    step: 0.0,
    tested: 0,
    loose: 1.0,
    noise: 300,
};

/// Prices learn how hard it is to place a word again, as the values of states do in real-time search (Korf 1990):
/// ejecting a word costs what placing it again will cost, and a little more. The penalty keeps words from replacing
/// each other in turn; nothing of it is forgotten.
const LEARNING: Pricing = Pricing {
    toll: 200.0,
    busy_toll: 0.0,
    penalty: 10.0,
    half_life: f64::INFINITY,
    step: 50.0,
    tested: 2,
    loose: 0.5,
    noise: 10,
    ..QUICK
};

/// The pricing of the searches of an attempt, one after the other, if channels continue each other, and if
/// they do not.
pub(crate) const STRAIGHT: [Pricing; 2] = [LEARNING, Pricing { toll: 400.0, ..LEARNING }];
pub(crate) const IRREGULAR: [Pricing; 3] =
    [NOISY, Pricing { penalty: 0.5, noise: 400, ..NOISY }, QUICK];

/// The pricing of repairs if channels continue each other. Words that do not have to move should stay, but
/// penalties that last would move them in the end.
pub(crate) const REPAIR: [Pricing; 2] = [QUICK, Pricing { penalty: 100.0, ..QUICK }];
