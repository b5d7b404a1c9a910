/** What a callback is about; `stream` carries events. */
export const CALLBACK_KINDS = ['task', 'step', 'crew', 'human_input', 'stream'] as const;
export type CallbackKind = (typeof CALLBACK_KINDS)[number];
