/** A message that can never be delivered, so a retry cannot help. The text is for the requester of the message. */
export abstract class MessageRejected extends Error {}
