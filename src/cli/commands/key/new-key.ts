import { defineCommand } from '#cli/command.ts'
import { path } from '#config/kinds.ts'
import { defineOptions } from '#config/option.ts'
import { readPasswordFile } from '#config/read-password-file.ts'
import { OWNER_ONLY, writeFileNew } from '#platform/files/files.ts'
import { encryptKey } from '#platform/keystore.ts'
import { newPrivateKey } from '#platform/new-private-key.ts'
import { systemRandom } from '#platform/random.ts'
import { addressFromPublicKey, publicKeyFromPrivate } from '#types/curve.ts'
import { formatData } from '#types/hex.ts'

const options = defineOptions('Options', {
  to: { flag: '--to', kind: path, required: true, help: 'File to make; one that is there is left alone.' },
  passwordFile: {
    flag: '--password-file',
    kind: path,
    help: 'File whose first line is the password of the new key. Without it the key is not encrypted.',
  },
})

export default defineCommand({
  options,
  run({ own, io }) {
    const [to, passwordFile] = [own.get(options.to), own.get(options.passwordFile)]
    const key = newPrivateKey('secp256k1')
    const text =
      passwordFile === undefined
        ? formatData(key)
        : encryptKey(key, readPasswordFile(passwordFile), systemRandom)
    writeFileNew(to, text, { mode: OWNER_ONLY })
    io.out(`Made a key for ${addressFromPublicKey(publicKeyFromPrivate('secp256k1', key))} in ${to}.\n`)
  },
})
