import type { Plants } from './plant.ts'

const DECODE = 'src/abi/decode-abi.ts'
const DECODE_TEST = 'src/abi/decode-abi.test.ts'
const RENDER = 'src/abi/render-calls.ts'
const RENDER_TEST = 'src/abi/render-calls.test.ts'

export const ABI_PLANTS: Plants = {
  'abi-endless-values': {
    mistake: 'a few words of revert data describe billions of values',
    file: DECODE,
    from: 'if (this.#left-- === 0) throw new Malformed()',
    to: '',
    caughtBy: DECODE_TEST,
  },
  'abi-repeated-text': {
    mistake: 'thousands of texts share the same megabyte',
    file: DECODE,
    from: 'if (this.#bytesLeft < 0) throw new Malformed()',
    to: '',
    caughtBy: DECODE_TEST,
  },
  'abi-raw-text': {
    mistake: 'the name of a function controls the terminal',
    file: RENDER,
    from: 'text: printableLine(text, MAX_SPAN_CHARACTERS)',
    to: 'text: text.slice(0, MAX_SPAN_CHARACTERS)',
    caughtBy: RENDER_TEST,
  },
  'cli-raw-spans': {
    mistake: 'a styled result writes control characters to the terminal',
    file: 'src/cli/io.ts',
    from: 'const escaped = escapeControls(text)',
    to: 'const escaped = text',
    caughtBy: 'src/cli/io.test.ts',
  },
}
