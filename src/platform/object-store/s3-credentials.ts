/** Reads the credentials for an S3-compatible store. */

import { platformFault } from '#platform/faults.ts'
import { readTextBounded } from '#platform/files/files.ts'
import type { S3Credentials } from './sign-request.ts'

const MAX_CREDENTIALS_BYTES = 16 * 1024

/** The lines are the access key, the secret key and, for temporary credentials, the session token. */
export function readCredentials(file: string): S3Credentials {
  const lines = readTextBounded(file, MAX_CREDENTIALS_BYTES).split(/\r?\n/)
  const [accessKey = '', secretKey = '', sessionToken = ''] = lines.map((line) => line.trim())
  const isPlain = [accessKey, secretKey, sessionToken].every((each) => /^[\x21-\x7e]*$/.test(each))
  if (accessKey === '' || secretKey === '' || !isPlain)
    throw platformFault('HTTP_FAILED', {
      sentence: `the credentials file ${file} does not have an access key and a secret key on two lines`,
    })
  return { accessKey, secretKey, ...(sessionToken !== '' && { sessionToken }) }
}
