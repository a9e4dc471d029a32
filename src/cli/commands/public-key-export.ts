import { defineCommand } from '#cli/command.ts'
import { formatData } from '#types/hex.ts'
import { exportKey, publicKeyOptions } from './public-key-options.ts'

export default defineCommand({
  options: publicKeyOptions,
  run: (context) => exportKey(context, formatData),
})
