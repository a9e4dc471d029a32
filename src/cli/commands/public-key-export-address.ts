import { defineCommand } from '#cli/command.ts'
import { addressFromPublicKey } from '#types/curve.ts'
import { exportKey, publicKeyOptions } from './public-key-options.ts'

export default defineCommand({
  options: publicKeyOptions,
  run: (context) => exportKey(context, addressFromPublicKey),
})
