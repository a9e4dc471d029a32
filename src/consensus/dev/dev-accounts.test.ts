import { deepEqual, equal, throws } from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { english, generateMnemonic, mnemonicToAccount } from 'viem/accounts'
import { addressFromPublicKey, publicKeyFromPrivate } from '#types/curve.ts'
import { parseData } from '#types/hex.ts'
import { DEV_ACCOUNTS, devAccounts, mnemonicAccounts, TEST_MNEMONIC } from './dev-accounts.ts'

test('the development accounts match their keys', () => {
  for (const { address, privateKey } of DEV_ACCOUNTS) {
    equal(addressFromPublicKey(publicKeyFromPrivate('secp256k1', parseData(privateKey))), address)
  }
})

test('the written accounts are those of the mnemonic of anvil and Hardhat', () => {
  deepEqual(DEV_ACCOUNTS.slice(0, 10), mnemonicAccounts(TEST_MNEMONIC))
  equal(DEV_ACCOUNTS[0]?.address, '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266')
})

test('the accounts of any mnemonic are those that viem derives', () => {
  fc.assert(
    fc.property(fc.constantFrom(128, 256), fc.nat({ max: 9 }), (bits, index) => {
      const mnemonic = generateMnemonic(english, bits)
      const expected = mnemonicToAccount(mnemonic, { addressIndex: index }).address.toLowerCase()
      equal(devAccounts(mnemonic)[index]?.address, expected, `"${mnemonic}" ${index}`)
    }),
    { numRuns: 10 },
  )
})

test('a mnemonic that is not one is refused, without its words in the error', () => {
  for (const [mnemonic, reason] of [
    ['test test junk', /--dev-mnemonic has 3 words; a mnemonic has 12, 15, 18, 21 or 24/],
    [TEST_MNEMONIC.replace('junk', 'jnuk'), /not in the English word list of BIP-39: word 12\. Check/],
    [TEST_MNEMONIC.replace('junk', 'test'), /wrong checksum/],
  ] as const) {
    throws(
      () => devAccounts(mnemonic),
      ({ message }: Error) => reason.test(message) && !/jnuk|test/.test(message),
    )
  }
  equal(devAccounts(`  ${TEST_MNEMONIC.replaceAll(' ', '  ')} `)[0]?.address, DEV_ACCOUNTS[0]?.address)
})
