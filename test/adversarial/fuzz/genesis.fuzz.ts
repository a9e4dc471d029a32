import assert from 'node:assert/strict'
import { parseAddress } from '#types/address.ts'
import { encodeGenesisExtraData } from '#types/block/bft-extra-data.ts'
import { parseGenesis } from '#types/genesis/genesis.ts'
import { validateGenesis } from '#types/genesis/genesis-validate.ts'
import { formatData } from '#types/hex.ts'
import { formatJson } from '#types/json/json-format.ts'
import { parseJson } from '#types/json/json-parse.ts'
import type { FuzzTarget } from './target.ts'

const validators = ['11', '22', '33', '44'].map((byte) => parseAddress(byte.repeat(20)))
const times = { blockperiodseconds: 2, epochlength: 30000, requesttimeoutseconds: 4, blockreward: '0x15' }
const header = {
  nonce: '0x0',
  timestamp: '0x58ee40ba',
  gasLimit: '700000000',
  difficulty: '0x1',
  mixHash: '0x63746963616c2062797a616e74696e65206661756c7420746f6c6572616e6365',
  coinbase: '0x0000000000000000000000000000000000000000',
}
const alloc = {
  fe3b557e8fb62b89f4916b721be55ceb828dbd73: { comment: 'a "test" \u00e9', balance: '0xad78ebc5ac6200000' },
  '0x0000000000000000000000000000000000008888': {
    nonce: '0x01',
    code: '0x6020356000355560603560403555',
    storage: { '0x00': '02', '290decd9548b62a8d60345a988386fc84ba6bc95484008f6362f93160ef3e563': '0xff' },
  },
}

const qbft = {
  config: {
    chainId: 1337,
    berlinBlock: 0,
    londonBlock: 0,
    shanghaiTime: 0,
    cancunTime: 10,
    zeroBaseFee: true,
    contractSizeLimit: 2147483647,
    qbft: { ...times, miningbeneficiary: '', xemptyblockperiodseconds: 60 },
    transitions: {
      qbft: [
        { block: 10, blockperiodseconds: 5, validators },
        { block: 20, validatorselectionmode: 'contract', validatorcontractaddress: '0x8888' },
      ],
    },
    blobSchedule: { cancun: { target: 3, max: 6, baseFeeUpdateFraction: 3338477 } },
  },
  ...header,
  extraData: formatData(encodeGenesisExtraData('qbft', validators)),
  alloc,
}

const migration = {
  config: { chainID: '61', ecCurve: 'secp256k1', ibft2: times, qbft: { ...times, startBlock: 123 } },
  ...header,
  extraData: formatData(encodeGenesisExtraData('ibft2', validators)),
}

const geth = `{"config": {"chainId": 1, "londonBlock": 0, "mergeNetsplitBlock": 0, "pragueTime": 1734106711,
  "terminalTotalDifficulty": 58750000000000000000000, "terminalTotalDifficultyPassed": true,
  "discovery": {"dns": "enrtree://A@b", "bootnodes": ["enode://00@1.2.3.4:30303"]},
  "checkpoint": {"hash": "0x12", "number": 5, "totalDifficulty": "0xff"}},
  "difficulty": "0x0", "gasLimit": "0x1000000", "baseFeePerGas": null, "extraData": "", "alloc": {}}`

const target: FuzzTarget = {
  name: 'genesis',
  seeds: () =>
    [JSON.stringify(qbft, null, 2), JSON.stringify(migration), geth].map((text) => Buffer.from(text)),
  run(input) {
    const text = new TextDecoder().decode(input)
    const verdict = parseGenesis(text)
    const findings = validateGenesis(text)
    assert.ok(
      verdict.ok || findings.length >= verdict.problems.length,
      'A genesis file that cannot be parsed has no findings.',
    )
    const written = formatJson(parseJson(text))
    assert.equal(
      formatJson(parseJson(written)),
      written,
      'The converted file does not parse to the same text.',
    )
  },
}

export default target
