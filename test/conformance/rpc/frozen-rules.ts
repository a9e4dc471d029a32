/** Answers on the frozen chains that differ from the recording on purpose. Keys are `file#index`. */

import { type Deviation, errorInstead, resultInstead } from './deviation.ts'
import { FROZEN_TRACE_RULES } from './frozen-trace-rules.ts'

/** The sender's balance for each of Besu's values, which lack the refund of unused gas. */
const BALANCES: Readonly<Record<string, string>> = {
  '0xad77e9c6817006a00': '0xad78bcfdc7df9d7f0',
  '0xad77f4b56ef19ecc0': '0xad78bef94aaaad272',
}

/** Accounts of both chains by the hashes of their addresses. */
const FIRST_ACCOUNTS = {
  '0x51cef902f761171f27a277c3dbfc9fad9fd94bdee1a3e9dc615223b7ede41000':
    '0xa50a51c09a5c451c52bb714527e1974b686d8e77',
  '0x984f41eb67eb23e42139410eade1008a90b01a018ce2577fea44262c6fc16ce3':
    '0x627306090abab3a6e1400e9345bc60c78a8bef57',
}
const THIRD_HASH = '0xbcdea13f0e9ff4fa520c658f547404b4762de6e62f6475f0eb4d1568015570ff'
const THIRD_ACCOUNT = '0xfe3b557e8fb62b89f4916b721be55ceb828dbd73'
const FOURTH_HASH = '0xc7215677f70244bc2adc051d85318e8c18fa3c286940aa35c6e7b8b80d54acc7'

/** The same for both chains. */
export const FROZEN_RULES: Readonly<Record<string, Deviation>> = {
  ...FROZEN_TRACE_RULES,
  'eth.json#54': resultInstead('eth-version', () => '0x45'),
  'eth.json#102': errorInstead('18', -32602, 'Invalid address params'),
  'eth.json#113': errorInstead('18', -32602, 'Invalid address params'),
  'eth.json#243': errorInstead('36', -32602, 'Invalid call params'),
  'eth.json#252': errorInstead(
    '36',
    -32004,
    'Upfront cost exceeds account balance (transaction up-front cost 0x1 exceeds transaction sender account balance 0x0 for sender 0x19e7e376e7c213b7e7e7e46cc70a5dd086daff2a)',
  ),
  'eth.json#428': resultInstead('account-at', (result: { readonly balance: string }) => ({
    ...result,
    balance: BALANCES[result.balance],
  })),
  'eth.json#433': resultInstead('account-range', () => ({
    addressMap: { ...FIRST_ACCOUNTS, [THIRD_HASH]: THIRD_ACCOUNT },
    nextKey: FOURTH_HASH,
  })),
  'eth.json#434': resultInstead('account-range', () => ({ addressMap: FIRST_ACCOUNTS, nextKey: THIRD_HASH })),
  'eth.json#136': errorInstead('36', -32602, 'Invalid storage keys params'),
}

/** Entries that wait for something other than their method. */
export const FROZEN_WAITS: Readonly<Record<string, string>> = {
  'eth.json#65': 'the ports of the recorded node',
}
