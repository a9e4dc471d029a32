import {
  array,
  int,
  literal,
  looseObject,
  object,
  enum as oneOf,
  record,
  strictObject,
  string,
  union,
  unknown,
} from 'zod'
import { Param } from '#jsonrpc/method.ts'
import { Fault } from '#types/fault.ts'
import { AddressWire, DataText, HashText, PlaceWire, parsedBy } from './values.ts'

const TRACE_TYPES = ['trace', 'vmTrace', 'stateDiff'] as const

export type TraceType = (typeof TRACE_TYPES)[number]

const TraceTypeWire = string()
  .transform(parsedBy(parseTraceType))
  .meta({ title: 'trace type', enum: TRACE_TYPES })
export const TraceTypesWire = array(TraceTypeWire).max(100).meta({
  title: 'trace types',
  description: 'any of trace, vmTrace and stateDiff',
})
export const TraceTypes = new Param(TraceTypesWire, 'INVALID_TRACE_TYPE_PARAMS')

const Position = string()
  .regex(/^0x[0-9a-fA-F]{1,8}$/)
  .meta({
    title: 'position',
    description: '0x and the index of a call among the calls of its caller',
  })
/** The path from the call of a transaction to the requested one. */
export const TracePositions = new Param(
  array(Position.transform(Number)).max(1024),
  'INVALID_TRACE_NUMBERS_PARAMS',
)

/** As in Besu: a JSON integer or its decimal text. */
const Count = union([
  int(),
  string()
    .regex(/^-?\d{1,15}$/)
    .transform(Number),
]).meta({ title: 'number' })
const Addresses = union([AddressWire.transform((address) => [address]), array(AddressWire).max(1000)]).meta({
  title: 'address or list of addresses',
})
export const TraceFilter = new Param(
  strictObject({
    fromBlock: PlaceWire.optional(),
    toBlock: PlaceWire.optional(),
    fromAddress: Addresses.optional(),
    toAddress: Addresses.optional(),
    after: Count.optional(),
    count: Count.optional(),
    /** Accepted and ignored, as in Besu. */
    blockHash: unknown().optional(),
  }).meta({ title: 'trace filter' }),
  'INVALID_FILTER_PARAMS',
)

const TraceEntry = looseObject({
  action: record(string(), string()),
  error: string().optional(),
  revertReason: DataText.optional(),
  subtraces: int(),
  traceAddress: array(int()),
  type: oneOf(['call', 'create', 'suicide', 'reward']),
}).meta({ title: 'trace entry' })

export const LocatedTraceEntry = TraceEntry.extend({
  blockHash: HashText,
  blockNumber: int(),
  transactionHash: union([HashText, literal(null)]),
  transactionPosition: union([int(), literal(null)]),
}).meta({ title: 'trace entry of a block' })

export const TraceResult = object({
  output: DataText,
  from: string().optional(),
  stateDiff: union([record(string(), unknown()), literal(null)]),
  trace: array(TraceEntry),
  vmTrace: union([looseObject({ code: DataText, ops: array(unknown()) }), literal(null)]),
}).meta({ title: 'trace result' })

export const ReplayedTrace = TraceResult.extend({
  revertReason: DataText.optional(),
  transactionHash: HashText,
}).meta({ title: 'trace of a transaction' })

/** Case-insensitive, as in Besu. */
function parseTraceType(text: string): TraceType {
  const found = TRACE_TYPES.find((type) => type.toLowerCase() === text.toLowerCase())
  if (found !== undefined) return found
  throw new Fault('UNKNOWN_TRACE_TYPE', { sentence: 'A trace type is trace, vmTrace or stateDiff.' })
}

export const TracedBlock = array(object({ txHash: HashText, result: unknown() })).meta({
  title: 'traced block',
})
