/**
 * Thrown if a message can never be delivered, so a retry cannot help. The error message is shown to the requester of
 * the message.
 */
export abstract class MessageRejected extends Error {}
