/** Pages for whoever signs in on them. */
export const CONSOLE_PATH = '/console';
export const SIGN_IN_PATH = `${CONSOLE_PATH}/sign-in`;
export const SIGN_OUT_PATH = `${CONSOLE_PATH}/sign-out`;

/** Holds the access token of who signed in. It counts on routes whose access is `page`, and on no other. */
export const SESSION_COOKIE = 'console_session';

/** Where to sign in on the way to a page. */
export const signInTo = (path: string): string => `${SIGN_IN_PATH}?to=${encodeURIComponent(path)}`;
