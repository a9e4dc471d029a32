/**
 * The public test network Hoodi: proof of stake from block 1 on. The allocations are facts of the network, and the genesis
 * hash and the fork ids are tests.
 */
import { createHash } from 'node:crypto'
import { SYSTEM_CONTRACTS } from '#consensus/dev/system-contracts.ts'
import { DEPOSIT_CONTRACT_CODE } from './deposit-contract.ts'

const DEPOSIT_CONTRACT = '0x00000000219ab540356cbb839cbe05303d7705fa'
const DEPOSIT_TREE_DEPTH = 32
/** The slot of the first stored hash of an empty subtree; the hash of an empty leaf is 0 and not stored. */
const FIRST_EMPTY_HASH_SLOT = 0x22
/** Every address below it has 1 wei. */
const PRECOMPILED_ADDRESSES = 256
const WEI_PER_ETHER = 10n ** 18n
/** Contracts of EIP-7002 and EIP-7251 start with this excess, which blocks requests until the first block of Prague. */
const INHIBITED = { [word(0)]: `0x${'ff'.repeat(32)}` }
const REQUEST_CONTRACTS: ReadonlySet<string> = new Set([
  '0x00000961ef480eb55e80d19ad83579a64c007002',
  '0x0000bbddc7ce488642fb579f8b00f3a590007251',
])

const CONFIG = {
  chainId: 560_048,
  londonBlock: 0,
  terminalTotalDifficulty: 0,
  shanghaiTime: 0,
  cancunTime: 0,
  pragueTime: 1_742_999_832,
  osakaTime: 1_761_677_592,
  bpo1Time: 1_762_365_720,
  bpo2Time: 1_762_955_544,
  depositContractAddress: DEPOSIT_CONTRACT,
  blobSchedule: {
    cancun: { target: 3, max: 6, baseFeeUpdateFraction: 3_338_477 },
    prague: { target: 6, max: 9, baseFeeUpdateFraction: 5_007_716 },
    osaka: { target: 6, max: 9, baseFeeUpdateFraction: 5_007_716 },
    bpo1: { target: 10, max: 15, baseFeeUpdateFraction: 8_346_193 },
    bpo2: { target: 14, max: 21, baseFeeUpdateFraction: 11_684_671 },
  },
  ethash: {},
}

/** Accounts by their balance in ether. */
const FUNDED: readonly (readonly [bigint, readonly string[]])[] = [
  [500_000_000n, ['9a27d0c715d3f2af2fac39a41c49ed35004a3bcf']],
  [200_000_000n, ['462396e69dbfa455f405f4dd82f3014af8003b72', '610866c6089768da95524bcc4ce7db61eda3931c']],
  [
    100_000_000n,
    [
      '0000006916a87b82333f4245046623b23794c65c',
      '03b1f066125897834e46abd7dc6415d8759f8372',
      '0c100000006d7b5e23a1eaee637f28ca32cd5b31',
      '10f5d45854e038071485ac9e402308cf80d2d2fe',
      '1b7aa44088a0ea95bdc65fef6e5071e946bf7d8f',
      '2f14582947e292a2ecd20c430b46f2d27cfe213c',
      '2f2c75b5dd5d246194812b00eeb3b09c2c66e2ee',
      '4d496ccc28058b1d74b7a19541663e21154f9c84',
      '509a7667ac8d0320e36172c192506a6188aa84f6',
      '5f10da9b68f06c76f3c624f8b2ee3b2a2698351b',
      '6a7aa9b882d50bb7bc5da1a244719c99f12f06a3',
      '6cc9397c3b38739dacbfaa68ead5f5d77ba5f455',
      '73b2e0e54510239e22cc936f0b4a6de1acf0abde',
      '778f5f13c4be78a3a4d7141bcb26999702f407cf',
      'b19fb4c1f280327e60ed37b1dc6ee77533539314',
      'c6e2459991bfe27cca6d86722f35da23a1e4cb97',
      'fbfd6fa9f73ac6a058e01259034c28001bef8247',
      'fc7af49b80acf041744366b02272019723c94f9c',
    ],
  ],
  [
    10_000_000n,
    [
      '0be949928ff199c9eba9e110db210aa5c94efad0',
      'c564af154621ee8d0589758d535511aec8f67b40',
      'da29bb71669f46f2a779b4b62f03644a84ee3479',
      'dbf640dea047fa7ee746d01a31782386f827cfc1',
    ],
  ],
  [
    1_000_000n,
    [
      '0c35317b7a96c454e2cb3d1a255d775ab112ccc8',
      '0d731cfabc5574329823f26d488416451d2ea376',
      '0e79065b5f11b5bd1e62b935a600976fff3754b9',
      '105083929bf9bb22c26cb1777ec92661170d4285',
      '11ecb03299080fc8d5c1b2fe0c0cd34890d5e1b5',
      '1268ad189526ac0b386faf06effc46779c340ee6',
      '12cba59f5a74db81a12ff63c349bd82cbf6007c2',
      '15e719b6acaf1e4411bf0f9576cb1d0db161ddfc',
      '164e38a375247a784a81d420201aa8fe4e513921',
      '222222222222cf64a76ae3d36859958c864fda2c',
      '22819830d4fe783d658841939ad6d75b00a2b78c',
      '26ecc0885bab76eb602888df8415bdf32d0f62bd',
      '341c40b94bf2afbfa42573cb78f16ee15a056238',
      '346d827a75f98f0a7a324ff80b7c3f90252e8bac',
      '34f845773d4364999f2fbc7aa26abdee902cbb46',
      '3c75594181e03e8ecd8468a0037f058a9dafad79',
      '404ffd9dd65428e096d9a7b837924263ef40fb31',
      '45dca0746fc56b400b291f5d9657a79464e8f152',
      '49df3cca2670eb0d591146b16359fe336e476f29',
      '4d0b04b405c6b62c7cfc3ae54759747e2c0b4662',
      '5180db0237291a6449dda9ed33ad90a38787621c',
      '52730f347def6ba09adff62eac60d5fee8205bc4',
      '5eac0fbd3dfef8ae3efa3c5dc1aa193bc6033dfd',
      '762ca62ca2549ad806763b3aa1ea317c429bdbda',
      '767f7576944d321374921df138589a30e3c5030d',
      '834dbf5a03e29c25bc55459cce9c021eebe676ad',
      '875d25ee4bc604c71baf6236a8488f22399bed4b',
      '8df7878d3571bef5e5a744f96287c8d20386d75a',
      '9029c772dde847622df1553ed9d9bdb7812e4f93',
      '9b383f8e4cd5d3dd5f9006b6a508960a1e730375',
      '9b491f043189af6d31d3d4b1a7ca1cf72f40c52a',
      '9e415a096ff77650dc925dea546585b4adb322b6',
      'a0766b65a4f7b1da79a1af79ac695456efa28644',
      'a29b144a449e414a472c60c7aaf1aaffe329021d',
      'a55395566b0b54395b3246f96a0bdc4b8a483df9',
      'ac9ba72fb61aa7c31a95df0a8b6eba6f41ef875e',
      'b0498c15879db2ee5471d4926c5faa25c9a09683',
      'b04aef2a3d2d86b01006ccd4339a2e943d9c6480',
      'c21cb9c99c316d1863142f7dd86dd5496d81a8d6',
      'c473d412dc52e349862209924c8981b2ee420768',
      'c48e23c5f6e1ea0baef6530734edc3968f79af2e',
      'c9ca2ba9a27de1db589d8c33ab8edfa2111b31fb',
      'd1f77e4c1c45186e8653c489f90e008a73597296',
      'd4bb555d3b0d7ff17c606161b44e372689c14f4b',
      'dca6e9b48ea86aebfdf9929949124042296b6e34',
      'e4955e107ea530b4c2db8a323df0a143d8a82b9c',
      'ea28d002042fd9898d0db016be9758eeafe35c1e',
      'eb742e43956e0ea89a2db6bf6237c79ee4645981',
      'efa7454f1116807975a4750b46695e967850de5d',
    ],
  ],
]

export function hoodiGenesisText(): string {
  const precompiled = Array.from({ length: PRECOMPILED_ADDRESSES }, (_, index) => [
    `0x${index.toString(16).padStart(40, '0')}`,
    { balance: '0x1' },
  ])
  const system = Object.entries(SYSTEM_CONTRACTS).map(([address, code]) => [
    address,
    { balance: '0x0', nonce: '0x1', code, ...(REQUEST_CONTRACTS.has(address) && { storage: INHIBITED }) },
  ])
  const funded = FUNDED.flatMap(([ether, addresses]) =>
    addresses.map((address) => [`0x${address}`, { balance: `0x${(ether * WEI_PER_ETHER).toString(16)}` }]),
  )
  return JSON.stringify({
    config: CONFIG,
    nonce: '0x1234',
    timestamp: '0x67d80ec0',
    extraData: '0x',
    gasLimit: '0x2255100',
    difficulty: '0x1',
    mixHash: word(0),
    coinbase: `0x${'00'.repeat(20)}`,
    alloc: {
      ...Object.fromEntries([...precompiled, ...system, ...funded]),
      [DEPOSIT_CONTRACT]: { balance: '0x0', code: DEPOSIT_CONTRACT_CODE, storage: emptyHashes() },
    },
  })
}

/** The hashes of empty subtrees, which the constructor of the deposit contract computes. */
function emptyHashes(): Readonly<Record<string, string>> {
  const slots: Record<string, string> = {}
  let hash: Uint8Array = new Uint8Array(32)
  for (let height = 1; height < DEPOSIT_TREE_DEPTH; height++) {
    hash = createHash('sha256').update(hash).update(hash).digest()
    slots[word(FIRST_EMPTY_HASH_SLOT + height - 1)] = `0x${Buffer.from(hash).toString('hex')}`
  }
  return slots
}

function word(value: number): string {
  return `0x${value.toString(16).padStart(64, '0')}`
}
