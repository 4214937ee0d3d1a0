/** Base path of the console, the web pages for users who sign in. */
export const CONSOLE_PATH = '/console';
export const SIGN_IN_PATH = `${CONSOLE_PATH}/sign-in`;
export const SIGN_OUT_PATH = `${CONSOLE_PATH}/sign-out`;

/** Cookie with the access token of the signed-in user. Only routes with the setting `access: 'page'` accept it. */
export const SESSION_COOKIE = 'console_session';

/** Returns the URL of the sign-in page. After the sign-in, the user is redirected to `path`. */
export const signInTo = (path: string): string => `${SIGN_IN_PATH}?to=${encodeURIComponent(path)}`;
