/** A message that will never arrive: trying again cannot help. Its text is for whoever asked for the message. */
export abstract class MessageRejected extends Error {}
