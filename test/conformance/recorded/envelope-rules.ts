import { gzipSync } from 'node:zlib'
import type { RecordedEntry } from './entry.ts'
import type { Rule } from './play.ts'

/** Envelope answers that differ from the recording on purpose, and the expected answers. Keys are `file#index`. */
const INVALID_REQUEST = refusal(-32600, 'Invalid Request')
const PARSE_ERROR = refusal(-32700, 'Parse error')

function refusal(code: number, text: string, id: number | null = null): string {
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code, message: text } })
}

/** Expects another text as the only answer of a WebSocket entry. */
function answering(decision: string, text: string): Rule {
  return {
    decision,
    instead: (entry) => ({
      ...entry,
      frames: entry.frames!.map((frame) => (frame.in === undefined ? frame : { in: text })),
    }),
  }
}

/** Expects no reply: the next request is answered first, and nothing else arrives until the connection closes. */
const UNANSWERED: Rule = {
  decision: '29',
  instead: (entry) => ({
    ...entry,
    frames: [
      entry.frames![0]!,
      { out: '{"jsonrpc":"2.0","method":"net_version","id":99}' },
      { in: '{"jsonrpc":"2.0","id":99,"result":"1337"}' },
      { close: 1000 },
    ],
  }),
}

const TOO_LARGE: Rule = {
  decision: '29',
  instead: (entry) => ({
    ...entry,
    frames: entry.frames!.map((frame) => (frame.close === undefined ? frame : { close: 1009 })),
  }),
}

/** The same batch over HTTP is answered element by element (envelope-http.json#82), and here too. */
const MIXED_BATCH = `[${[
  '{"jsonrpc":"2.0","id":1,"result":"0x539"}',
  ...Array.from({ length: 6 }, () => INVALID_REQUEST),
  refusal(-32600, 'Invalid Request', 9),
  refusal(-32601, 'Method not found', 3),
  refusal(-32604, 'Method not enabled', 4),
].join(',')}]`

/** Expects another HTTP answer. */
function status(decision: string, changes: Partial<RecordedEntry>): Rule {
  return { decision, instead: (entry) => ({ ...entry, ...changes }) }
}

const NOT_JSON = [2, 3, 4, 5, 7, 8, 9, 30, 31, 36]

export const ENVELOPE_RULES: Readonly<Record<string, Rule>> = {
  'envelope-http.json#5': status('22', { status: 400, reason: 'Bad Request', response: INVALID_REQUEST }),
  'envelope-http.json#75': status('whitelist-names', {
    response: refusal(-32000, 'Account allowlist has not been enabled', 1),
  }),
  'envelope-http.json#101': {
    waits: 'block 1 of the recorded chain, which is not in the pack; ours has none',
    instead: (entry) => ({
      ...entry,
      response: `base64:${gzipSync('{"jsonrpc":"2.0","id":1,"result":null}').toString('base64')}`,
    }),
  },
  'envelope-http.json#108': status('26', {
    status: 200,
    reason: 'OK',
    responseHeaders: { vary: 'origin', 'content-type': 'application/json' },
    response: '{"jsonrpc":"2.0","id":1,"result":"0x539"}',
  }),
  'envelope-http.json#176': {
    decision: '26',
    instead: (entry) => ({
      ...entry,
      response: entry.response!.replace('HTTP/1.1 100 Continue\r\n\r\n', ''),
    }),
  },
  ...Object.fromEntries(NOT_JSON.map((index) => [`envelope-ws.json#${index}`, answering('29', PARSE_ERROR)])),
  'envelope-ws.json#6': answering('22', INVALID_REQUEST),
  'envelope-ws.json#13': answering('29', MIXED_BATCH),
  'envelope-ws.json#16': UNANSWERED,
  'envelope-ws.json#17': UNANSWERED,
  'envelope-ws.json#44': status('C13', {
    status: 403,
    reason: 'CORS Rejected - Invalid origin',
    responseHeaders: { 'content-length': '29' },
    frames: [{ close: 1006 }],
  }),
  'envelope-ws.json#47': TOO_LARGE,
  'envelope-ws.json#48': TOO_LARGE,
  'limits.json#20': {
    instead: (entry, ports) => ({ ...entry, response: entry.response!.replace('18703', `${ports.p2p}`) }),
  },
  'limits.json#21': {
    decision: '34',
    instead: (entry, ports) => ({
      ...entry,
      response: entry
        .response!.replace('"18700"', `"${ports.http}"`)
        .replace('"18701"', `"${ports.ws}"`)
        .replace('"18703"', `"${ports.p2p}"`)
        // Besu reports port 0 for metrics.
        .replace('"0"', `"${ports.metrics}"`),
    }),
  },
  'limits.json#29': TOO_LARGE,
  'limits.json#30': TOO_LARGE,
  'ws-frame-size.json#0': TOO_LARGE,
  'ws-frame-size.json#2': TOO_LARGE,
  'ws-batch-elements.json#2': answering(
    '29',
    `[{"jsonrpc":"2.0","id":1,"result":"0x539"},${INVALID_REQUEST}]`,
  ),
}

/** Entries that cannot be judged, with the reason. */
export const ENVELOPE_WAITS: Readonly<Record<string, string>> = {
  'limits.json#23':
    'the head of the recorded chain, which is not in the pack, and the fork id in the node record',
}
