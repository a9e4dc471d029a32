/** The MINER methods: settings of built blocks, until the node stops. */

import { bigint, boolean, int, literal, number, string, union } from 'zod'
import type { Live } from '#api/contracts.ts'
import { defineMethod } from '#api/define-method.ts'
import { QuantityText } from '#api/schema/values.ts'
import type { BuildingSettings } from '#chain/build/building-settings.ts'
import { type RpcErrorKind, rpcFault } from '#jsonrpc/errors.ts'
import { type Method, Param } from '#jsonrpc/method.ts'
import { MIN_GAS_LIMIT } from '#types/block/block-header.ts'
import { bytesToBigint } from '#types/bytes.ts'
import { formatData, formatDigits, formatQuantity, parseData } from '#types/hex.ts'

/** The audit log records the settings before and after a change. */
const BUILDING_CHANGES = {
  what: 'block making',
  observe: async ({ building }: Pick<Live, 'building'>) => {
    const { targetGasLimit, minGasPriceWei, minPriorityFeeWei, extraData } = await building.settings()
    return {
      targetGasLimit: targetGasLimit?.toString() ?? null,
      minGasPriceWei: minGasPriceWei.toString(),
      minPriorityFeeWei: minPriorityFeeWei.toString(),
      extraData: formatData(extraData),
    }
  },
} as const

const MAX_LONG = 2n ** 63n - 1n

const TargetGasLimit = new Param(
  union([
    int().transform(BigInt),
    string()
      .regex(/^-?\d+$/)
      .transform(BigInt),
  ])
    .pipe(
      bigint()
        .min(-MAX_LONG - 1n)
        .max(MAX_LONG),
    )
    .meta({ title: 'gas limit', description: 'a decimal number, as such or as text' }),
  'INVALID_TARGET_GAS_LIMIT_PARAMS',
)

export const miner_changeTargetGasLimit = defineMethod({
  name: 'miner_changeTargetGasLimit',
  summary: 'Sets the gas limit that the blocks of this node approach, until it stops.',
  needs: ['building'],
  params: { targetGasLimit: TargetGasLimit },
  changes: BUILDING_CHANGES,
  result: literal('Success'),
  run: async ({ building }, { targetGasLimit }) => {
    // Besu's errors for values that no block may have.
    if (targetGasLimit < MIN_GAS_LIMIT) throw rpcFault('TARGET_GAS_LIMIT_MODIFICATION_UNSUPPORTED')
    await building.change({ targetGasLimit })
    return 'Success' as const
  },
})

const LEADING_ZEROS = /^0+/

export const miner_getExtraData = defineMethod({
  name: 'miner_getExtraData',
  summary: 'The extra data of own blocks, without leading zeros.',
  needs: ['building'],
  params: {},
  result: string()
    .regex(/^0x([1-9a-f][0-9a-f]*)?$/)
    .meta({ title: 'short data', description: '0x and hex digits, the first of which is not 0' }),
  run: async ({ building }) =>
    `0x${formatDigits((await building.settings()).extraData).replace(LEADING_ZEROS, '')}`,
})

function getting(name: string, setting: 'minGasPriceWei' | 'minPriorityFeeWei', summary: string): Method {
  return defineMethod({
    name,
    summary,
    needs: ['building'],
    params: {},
    result: QuantityText,
    run: async ({ building }) => formatQuantity((await building.settings())[setting]),
  })
}

export const miner_getMinGasPrice = getting(
  'miner_getMinGasPrice',
  'minGasPriceWei',
  'The lowest gas price, in wei, of transactions that this node chooses for its blocks.',
)

export const miner_getMinPriorityFee = getting(
  'miner_getMinPriorityFee',
  'minPriorityFeeWei',
  'The lowest priority fee per gas, in wei, of transactions that this node chooses for its blocks.',
)

const WordText = union([string(), number().transform(String)]).meta({
  title: 'word in hex',
  description: 'up to 32 bytes in hex, with or without 0x; the digits of a number are read as hex too',
})

interface Setter {
  readonly name: string
  readonly summary: string
  readonly param: string
  readonly error: RpcErrorKind
  /** The error's reason if the parameter is missing. */
  readonly missing?: string
  change(word: Uint8Array): Partial<BuildingSettings>
}

/** The parameter is optional, so that the error can name what is missing. */
function setting({ name, summary, param, error, missing, change }: Setter): Method {
  return defineMethod({
    name,
    summary,
    needs: ['building'],
    params: { [param]: new Param(WordText, error).optional() },
    changes: BUILDING_CHANGES,
    result: boolean(),
    run: async ({ building }, { [param]: text }) => {
      if (text === undefined) throw rpcFault(error, missing === undefined ? {} : { data: missing })
      await building.change(change(parseWordLenient(text, error)))
      return true
    },
  })
}

const MISSING = 'Missing required json rpc parameter at index 0'

export const miner_setExtraData = setting({
  name: 'miner_setExtraData',
  summary: 'Sets the extra data of own blocks, until the node stops.',
  param: 'extraData',
  error: 'INVALID_EXTRA_DATA_PARAMS',
  missing: MISSING,
  change: (extraData) => ({ extraData }),
})

export const miner_setMinGasPrice = setting({
  name: 'miner_setMinGasPrice',
  summary: 'Sets the minimum gas price of included transactions in wei, until the node stops.',
  param: 'minGasPrice',
  error: 'INVALID_MIN_GAS_PRICE_PARAMS',
  change: (word) => ({ minGasPriceWei: bytesToBigint(word) }),
})

export const miner_setMinPriorityFee = setting({
  name: 'miner_setMinPriorityFee',
  summary: 'Sets the minimum priority fee of included transactions in wei per gas, until the node stops.',
  param: 'minPriorityFee',
  error: 'INVALID_MIN_PRIORITY_FEE_PARAMS',
  missing: MISSING,
  change: (word) => ({ minPriorityFeeWei: bytesToBigint(word) }),
})

const WORD_BYTES = 32

/** As Besu reads up to 32 bytes: hex of any length with or without `0x`, and its errors. */
function parseWordLenient(text: string, error: RpcErrorKind): Uint8Array {
  const given = text.startsWith('0x') ? text.slice(2) : text
  const digits = given.length % 2 === 0 ? given : `0${given}`
  const position = digits.search(/[^0-9a-fA-F]/)
  if (position >= 0) {
    const data = `Illegal character '${digits[position]}' found at index ${position} in hex binary representation`
    throw rpcFault(error, { data })
  }
  const length = digits.length / 2
  if (length > WORD_BYTES) {
    const data = `Hex value is too large: expected at most ${WORD_BYTES} bytes but got ${length}`
    throw rpcFault(error, { data })
  }
  return parseData(`0x${digits}`)
}
