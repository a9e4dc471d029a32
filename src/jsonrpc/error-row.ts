/** Troubleshooting has every error with a cause. The messages of others, with the reason or parameter, suffice. */
export type ErrorRow = { readonly code: number; readonly message: string } & (
  | { readonly cause: string; readonly remedy: string }
  | { readonly isClear: true }
  | { readonly code: -32602; readonly cause?: never }
)
