//! The modexp precompile for moduli of up to 32 bytes. revm's library takes numbers of any length and is slower for
//! short ones than their price before Osaka covers: 2.5 s for a block of 30 million gas, 0.7 s here.

use alloy_primitives::{Uint, aliases::U64};
use revm::precompile::{Crypto, DefaultCrypto, PrecompileHalt};

/// Bits of the exponent per multiplication.
const WINDOW: usize = 4;

#[derive(Debug)]
pub struct CairnCrypto;

impl Crypto for CairnCrypto {
    fn modexp(&self, base: &[u8], exponent: &[u8], modulus: &[u8]) -> Result<Vec<u8>, PrecompileHalt> {
        let length = modulus.len() - modulus.iter().take_while(|byte| **byte == 0).count();
        let modulus = &modulus[modulus.len() - length..];
        Ok(match length {
            0 => Vec::new(),
            1..=8 => power::<64, 1>(base, exponent, modulus),
            9..=16 => power::<128, 2>(base, exponent, modulus),
            17..=24 => power::<192, 3>(base, exponent, modulus),
            25..=32 => power::<256, 4>(base, exponent, modulus),
            _ => return DefaultCrypto.modexp(base, exponent, modulus),
        })
    }
}

/// For a modulus that is an odd number times a power of two: computes both and combines them (Chinese remainders).
fn power<const BITS: usize, const LIMBS: usize>(base: &[u8], exponent: &[u8], modulus: &[u8]) -> Vec<u8> {
    let modulus = Uint::<BITS, LIMBS>::from_be_slice(modulus);
    let twos = modulus.trailing_zeros();
    let odd = modulus >> twos;
    let by_odd = if odd == Uint::ONE { Uint::ZERO } else { power_by_odd(reduce(base, odd), exponent, odd) };
    if twos == 0 {
        return by_odd.to_be_bytes_vec();
    }
    // Arithmetic in the ring of all bits; bits above the power of two are cut off at the end.
    let low = Uint::from_be_slice(&base[base.len().saturating_sub(BITS / 8)..]);
    let by_twos = climb(Uint::ONE, low, exponent, Uint::wrapping_mul);
    let inverse = odd.inv_ring().unwrap_or(Uint::ONE);
    let missing = by_twos.wrapping_sub(by_odd).wrapping_mul(inverse);
    let mask = (Uint::<BITS, LIMBS>::ONE << twos).wrapping_sub(Uint::ONE);
    by_odd.wrapping_add(odd.wrapping_mul(missing & mask)).to_be_bytes_vec()
}

/// Montgomery form: a number times 2^BITS.
fn power_by_odd<const BITS: usize, const LIMBS: usize>(
    base: Uint<BITS, LIMBS>,
    exponent: &[u8],
    modulus: Uint<BITS, LIMBS>,
) -> Uint<BITS, LIMBS> {
    let lowest = U64::from_limbs([modulus.as_limbs()[0]]);
    let inverse = lowest.inv_ring().unwrap_or_default().wrapping_neg().as_limbs()[0];
    let one = (Uint::MAX % modulus).add_mod(Uint::ONE, modulus);
    let base = base.mul_mod(one, modulus);
    climb(one, base, exponent, |a, b| a.mul_redc(b, modulus, inverse)).mul_redc(Uint::ONE, modulus, inverse)
}

/// From the highest bits of the exponent down.
fn climb<Number: Copy>(one: Number, base: Number, exponent: &[u8], times: impl Fn(Number, Number) -> Number) -> Number {
    let mut powers = [one; 1 << WINDOW];
    for index in 1..powers.len() {
        powers[index] = times(powers[index - 1], base);
    }
    let mut result = one;
    for digit in exponent.iter().skip_while(|byte| **byte == 0).flat_map(|byte| [byte >> 4, byte & 15]) {
        for _ in 0..WINDOW {
            result = times(result, result);
        }
        result = times(result, powers[usize::from(digit)]);
    }
    result
}

/// Reduces a base of any length.
fn reduce<const BITS: usize, const LIMBS: usize>(bytes: &[u8], modulus: Uint<BITS, LIMBS>) -> Uint<BITS, LIMBS> {
    let (start, rest) = bytes.split_at(bytes.len().min(BITS / 8));
    let shift = Uint::from(256) % modulus;
    rest.iter().fold(Uint::from_be_slice(start) % modulus, |number, byte| {
        number.mul_mod(shift, modulus).add_mod(Uint::from(*byte), modulus)
    })
}
