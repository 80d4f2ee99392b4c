//! Finite fields of prime power order, small enough for tables. An element is represented by the
//! number whose base-p digits are its coefficients, so 0 and 1 represent themselves.

/// A finite field, represented by the powers of a primitive element.
#[derive(Debug)]
pub struct FiniteField {
    prime: u32,
    powers: Vec<u32>,
    logarithms: Vec<u32>,
}

impl FiniteField {
    /// The field of this order; `None` if the order is not a prime power.
    pub fn new(order: u32) -> Option<Self> {
        let prime = (2..=order).find(|divisor| order.is_multiple_of(*divisor))?;
        let mut rest = order;
        while rest.is_multiple_of(prime) {
            rest /= prime;
        }
        if rest != 1 {
            return None;
        }
        // For some polynomial x is a primitive element. In degree 1 it is x - g for a primitive
        // root g.
        let powers = (0..order).find_map(|tail| powers_of_x(prime, order, tail))?;
        let mut logarithms = vec![0; order as usize];
        for (exponent, &power) in powers.iter().enumerate() {
            logarithms[power as usize] = exponent as u32;
        }
        Some(Self { prime, powers, logarithms })
    }

    /// The number of elements.
    pub fn order(&self) -> u32 {
        self.logarithms.len() as u32
    }

    /// The sum of two elements.
    pub fn add(&self, a: u32, b: u32) -> u32 {
        add(self.prime, a, b)
    }

    /// The additive inverse of an element.
    pub fn negative(&self, a: u32) -> u32 {
        scale(self.prime, a, self.prime - 1)
    }

    /// The product of two elements.
    pub fn multiply(&self, a: u32, b: u32) -> u32 {
        if a == 0 || b == 0 {
            0
        } else {
            self.power(self.logarithms[a as usize] + self.logarithms[b as usize])
        }
    }

    /// A power of the primitive element.
    pub fn power(&self, exponent: u32) -> u32 {
        self.powers[exponent as usize % self.powers.len()]
    }
}

/// All powers of x modulo the polynomial by which the leading power of x equals `tail`; `None` if x
/// is not primitive.
fn powers_of_x(prime: u32, order: u32, tail: u32) -> Option<Vec<u32>> {
    let leading = order / prime;
    let mut powers = vec![1];
    loop {
        let last = powers[powers.len() - 1];
        let shifted = last % leading * prime;
        let next = add(prime, shifted, scale(prime, tail, last / leading));
        if next == 1 {
            return (powers.len() as u32 == order - 1).then_some(powers);
        }
        // If no earlier power is 1, x is not invertible.
        if powers.len() as u32 == order - 1 {
            return None;
        }
        powers.push(next);
    }
}

/// Adds the digits without carry.
fn add(prime: u32, mut a: u32, mut b: u32) -> u32 {
    let (mut sum, mut place) = (0, 1);
    while a > 0 || b > 0 {
        sum += (a % prime + b % prime) % prime * place;
        (a, b, place) = (a / prime, b / prime, place * prime);
    }
    sum
}

/// Multiplies every digit by a factor.
fn scale(prime: u32, mut a: u32, factor: u32) -> u32 {
    let (mut product, mut place) = (0, 1);
    while a > 0 {
        product += a % prime * factor % prime * place;
        (a, place) = (a / prime, place * prime);
    }
    product
}

#[cfg(test)]
mod tests {
    use super::FiniteField;

    #[test]
    fn the_laws_hold() {
        for order in [2, 3, 4, 5, 7, 8, 9, 11, 16, 25, 27] {
            let field = FiniteField::new(order).expect("a prime power");
            let elements = || 0..order;
            for a in elements() {
                assert_eq!(field.add(a, field.negative(a)), 0);
                assert_eq!(field.multiply(a, 1), a);
                let mut products: Vec<u32> = elements().map(|b| field.multiply(a, b)).collect();
                products.sort_unstable();
                products.dedup();
                assert_eq!(products.len() as u32, if a == 0 { 1 } else { order });
                for b in elements() {
                    let left = field.multiply(field.add(a, b), 2 % order);
                    let right =
                        field.add(field.multiply(a, 2 % order), field.multiply(b, 2 % order));
                    assert_eq!(left, right);
                }
            }
        }
        assert!([0, 1, 6, 12, 15, 100].into_iter().all(|order| FiniteField::new(order).is_none()));
    }
}
