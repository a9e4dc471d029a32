/**
 * The public test network Ephemery: proof of stake from block 1 on, and a new chain every 28 days. The clock decides about
 * the period, as in Besu; the accounts are the same in each.
 */
import { BLOB_SCHEDULE } from './blob-schedule.ts'
import { DEPOSIT_CONTRACT, type FundedAccounts, stakeAllocation } from './stake-allocation.ts'

const FIRST_CHAIN_ID = 39_438_135
const FIRST_TIMESTAMP = 1_720_119_600
const PERIOD_SECONDS = 28 * 24 * 60 * 60

const { cancun, prague, osaka } = BLOB_SCHEDULE
const CONFIG = {
  londonBlock: 0,
  terminalTotalDifficulty: 0,
  shanghaiTime: 0,
  cancunTime: 0,
  pragueTime: 0,
  osakaTime: 0,
  bpo1Time: 1_762_033_032,
  bpo2Time: 1_762_819_464,
  depositContractAddress: DEPOSIT_CONTRACT,
  blobSchedule: {
    ...{ cancun, prague, osaka },
    bpo1: { target: 8, max: 12, baseFeeUpdateFraction: 6_676_955 },
    bpo2: { target: 10, max: 15, baseFeeUpdateFraction: 8_346_193 },
  },
  ethash: {},
}

const FUNDED: FundedAccounts = [
  [1_000_000_000n, ['c90e920f4dcfd4954230edcab168d0c5b9561e03']],
  [
    100_000_000n,
    [
      '10f5d45854e038071485ac9e402308cf80d2d2fe',
      '1ea692e68a7765de26fc03a6d74ee5b56a7e2b4d',
      '57c3dfd40a86628b67721115d7a03c9f341d7718',
      'b21c33de1fab3fa15499c62b59fe0cc3250020d1',
      'd7d76c58b3a519e9fa6cc4d22dc017259bc49f1e',
      'e0a2bd4258d2768837baa26a28fe71dc079f84c7',
    ],
  ],
  [
    10_000_000n,
    [
      '0000006916a87b82333f4245046623b23794c65c',
      '6cc9397c3b38739dacbfaa68ead5f5d77ba5f455',
      '992775d32fd0ec76b95c5e76ceea92ed5a4be1f9',
    ],
  ],
  [
    1_000_000n,
    [
      '4c2ae482593505f0163cdefc073e81c63cda4107',
      '7cf5b79bfe291a67ab02b393e456ccc4c266f753',
      '8b7f0977bb4f0fbe7076fa22bc24aca043583f5e',
      'a2a6d93439144ffe4d27c9e088dcd8b783946263',
      'a8e8f14732658e4b51e8711931053a8a69baf2b1',
      'aaec86394441f915bce3e6ab399977e9906f3b69',
      'bc11295936aa79d594139de1b2e12629414f3bdb',
      'beef32ca5b9a198d27b4e02f4c70439fe60356cf',
      'd7eddb78ed295b3c9629240e8924fb8d8874ddd8',
      'd9a5179f091d85051d3c982785efd1455cec8699',
      'e2e2659028143784d557bcec6ff3a0721048880a',
      'f47cae1cf79ca6758bfc787dbd21e6bdbe7112b8',
    ],
  ],
  [1n, ['799d329e5f583419167cd722962485926e338f4a']],
]

/** The genesis of the period at a time. A clock before the first period gives the first one. */
export function ephemeryGenesisText(nowMs: number): string {
  const period = Math.max(0, Math.floor((nowMs / 1_000 - FIRST_TIMESTAMP) / PERIOD_SECONDS))
  return JSON.stringify({
    config: { chainId: FIRST_CHAIN_ID + period, ...CONFIG },
    nonce: '0x1234',
    timestamp: `0x${(FIRST_TIMESTAMP + period * PERIOD_SECONDS).toString(16)}`,
    extraData: '0x',
    gasLimit: '0x2255100',
    difficulty: '0x1',
    baseFeePerGas: '0x3b9aca00',
    alloc: stakeAllocation(FUNDED),
  })
}

export const EPHEMERY_OTHER_PERIOD =
  'Ephemery starts again from block 0 every 28 days, so this is probably the database of another period: delete the database directory or choose another --data-path, and check the clock of this machine.'
