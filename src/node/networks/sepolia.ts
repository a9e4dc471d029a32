/** The public test network Sepolia: proof of work until its merge, so a node starts from a state after it. */
import { BLOB_SCHEDULE } from './blob-schedule.ts'
import { type FundedAccounts, fundedAllocation } from './stake-allocation.ts'

const CONFIG = {
  chainId: 11_155_111,
  londonBlock: 0,
  mergeNetSplitBlock: 1_735_371,
  terminalTotalDifficulty: 17_000_000_000_000_000,
  shanghaiTime: 1_677_557_088,
  cancunTime: 1_706_655_072,
  pragueTime: 1_741_159_776,
  osakaTime: 1_760_427_360,
  bpo1Time: 1_761_017_184,
  bpo2Time: 1_761_607_008,
  depositContractAddress: '0x7f02c3e3c98b133055b8b348b2ac625669ed295d',
  blobSchedule: BLOB_SCHEDULE,
  ethash: {},
}

const FUNDED: FundedAccounts = [
  [
    100_000_000n,
    [
      '10f5d45854e038071485ac9e402308cf80d2d2fe',
      'b21c33de1fab3fa15499c62b59fe0cc3250020d1',
      'd7d76c58b3a519e9fa6cc4d22dc017259bc49f1e',
    ],
  ],
  [10_000_000n, ['0000006916a87b82333f4245046623b23794c65c']],
  [
    1_000_000n,
    [
      '7cf5b79bfe291a67ab02b393e456ccc4c266f753',
      '8b7f0977bb4f0fbe7076fa22bc24aca043583f5e',
      'a2a6d93439144ffe4d27c9e088dcd8b783946263',
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

export function sepoliaGenesisText(): string {
  return JSON.stringify({
    config: CONFIG,
    nonce: '0x0',
    timestamp: '0x6159af19',
    extraData: `0x${Buffer.from('Sepolia, Athens, Attica, Greece!').toString('hex')}`,
    gasLimit: '0x1c9c380',
    difficulty: '0x20000',
    alloc: fundedAllocation(FUNDED),
  })
}
