/**
 * Ethereum mainnet: proof of work until its merge, so a node starts from a state after it. The accounts of block 0 are a
 * file, which `node scripts/pack-allocation.ts` writes.
 */
import { fileURLToPath } from 'node:url'
import { readFileBounded } from '#platform/files/files.ts'
import { PROGRAM_ROOT } from '#platform/thread/own-modules.ts'
import { BLOB_SCHEDULE } from './blob-schedule.ts'
import { unpackAllocation } from './packed-allocation.ts'
import { DEPOSIT_CONTRACT } from './stake-allocation.ts'

const FILE = 'node/networks/mainnet-allocation.bin'
const MAX_FILE_BYTES = 1024 * 1024

const CONFIG = {
  chainId: 1,
  homesteadBlock: 1_150_000,
  daoForkBlock: 1_920_000,
  eip150Block: 2_463_000,
  eip155Block: 2_675_000,
  eip158Block: 2_675_000,
  byzantiumBlock: 4_370_000,
  constantinopleBlock: 7_280_000,
  petersburgBlock: 7_280_000,
  istanbulBlock: 9_069_000,
  muirGlacierBlock: 9_200_000,
  berlinBlock: 12_244_000,
  londonBlock: 12_965_000,
  arrowGlacierBlock: 13_773_000,
  grayGlacierBlock: 15_050_000,
  terminalTotalDifficulty: '58750000000000000000000',
  shanghaiTime: 1_681_338_455,
  cancunTime: 1_710_338_135,
  pragueTime: 1_746_612_311,
  osakaTime: 1_764_798_551,
  bpo1Time: 1_765_290_071,
  bpo2Time: 1_767_747_671,
  depositContractAddress: DEPOSIT_CONTRACT,
  blobSchedule: BLOB_SCHEDULE,
  ethash: {},
}

export function mainnetGenesisText(): string {
  const packed = readFileBounded(fileURLToPath(new URL(FILE, PROGRAM_ROOT)), MAX_FILE_BYTES)
  return JSON.stringify({
    config: CONFIG,
    nonce: '0x42',
    timestamp: '0x0',
    extraData: '0x11bbe8db4e347b4e8c937c1c8370e4b5ed33adb3db69cbdb7a38e1e50b1b82fa',
    gasLimit: '0x1388',
    difficulty: '0x400000000',
    alloc: unpackAllocation(packed),
  })
}
