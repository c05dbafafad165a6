// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "unpack.h"

#define ROOM	  ((size_t)1 << 17)
#define GZIP_ONLY (16 + MAX_WBITS) /* as inflateInit2() wants it */
#define MAGIC	  4		   /* bytes that tell how a file is packed */

struct unpack {
	int fd;
	int error;	 /* of the file */
	char wrong[128]; /* with what is packed */
	/* Unpack from @in to @to; the bytes written, or -1 with @wrong */
	ssize_t (*take)(struct unpack *unpack, char *to, size_t size);
	const char *by; /* what has packed it */
	size_t at;	/* what is left in @in is from here to @end */
	size_t end;
	bool is_over;	/* the file */
	bool is_inside; /* a part that was packed has begun and not ended */
	z_stream gzip;
	ZSTD_DStream *zstd;
	unsigned char in[ROOM];
};

/* More of the file, after what is left. Return: false if it cannot be read */
static bool fill(struct unpack *unpack)
{
	ssize_t got;

	if (unpack->at == unpack->end)
		unpack->at = unpack->end = 0;
	do
		got = read(unpack->fd, unpack->in + unpack->end, ROOM - unpack->end);
	while (got < 0 && errno == EINTR);
	if (got < 0) {
		unpack->error = errno;
		return false;
	}
	unpack->is_over = !got;
	unpack->end += (size_t)got;
	return true;
}

static ssize_t is_wrong(struct unpack *unpack, const char *what)
{
	snprintf(unpack->wrong, sizeof(unpack->wrong), "what %s has packed is wrong: %s",
		 unpack->by, what);
	return -1;
}

static ssize_t take_plain(struct unpack *unpack, char *to, size_t size)
{
	size_t left = unpack->end - unpack->at;

	if (size > left)
		size = left;
	memcpy(to, unpack->in + unpack->at, size);
	unpack->at += size;
	return (ssize_t)size;
}

/* A file may have several parts that were packed one by one */
static ssize_t take_gzip(struct unpack *unpack, char *to, size_t size)
{
	z_stream *gzip = &unpack->gzip;
	int ret;

	if (!unpack->is_inside) {
		if (unpack->at == unpack->end)
			return 0;
		inflateReset(gzip);
	}
	unpack->is_inside = true;
	gzip->next_in = unpack->in + unpack->at;
	gzip->avail_in = (uInt)(unpack->end - unpack->at);
	gzip->next_out = (Bytef *)to;
	gzip->avail_out = (uInt)size;
	ret = inflate(gzip, Z_NO_FLUSH);
	unpack->at = unpack->end - gzip->avail_in;
	/* Z_BUF_ERROR: it needs more of the file */
	if (ret != Z_OK && ret != Z_STREAM_END && ret != Z_BUF_ERROR)
		return is_wrong(unpack, gzip->msg ? gzip->msg : zError(ret));
	unpack->is_inside = ret != Z_STREAM_END;
	return (ssize_t)(size - gzip->avail_out);
}

static ssize_t take_zstd(struct unpack *unpack, char *to, size_t size)
{
	ZSTD_inBuffer in = { unpack->in, unpack->end, unpack->at };
	ZSTD_outBuffer out = { to, size, 0 };
	size_t ret;

	if (!unpack->is_inside && in.pos == in.size)
		return 0;
	ret = ZSTD_decompressStream(unpack->zstd, &out, &in);
	unpack->at = in.pos;
	if (ZSTD_isError(ret))
		return is_wrong(unpack, ZSTD_getErrorName(ret));
	unpack->is_inside = ret;
	return (ssize_t)out.pos;
}

static ssize_t unpack_read(void *cookie, char *to, size_t size)
{
	struct unpack *unpack = cookie;
	ssize_t got = 0;

	while (!got && !*unpack->wrong && !unpack->error) {
		got = unpack->take(unpack, to, size);
		if (got || unpack->at < unpack->end)
			continue;
		if (!unpack->is_over && !fill(unpack))
			break;
		if (!unpack->is_over)
			continue;
		/* all is there, and it was not enough */
		if (unpack->is_inside)
			is_wrong(unpack, "the file is cut short");
		break;
	}
	if (!*unpack->wrong && !unpack->error)
		return got;
	errno = unpack->error ? unpack->error : EBADMSG;
	return -1;
}

static int unpack_close(void *cookie)
{
	struct unpack *unpack = cookie;

	inflateEnd(&unpack->gzip);
	ZSTD_freeDStream(unpack->zstd);
	free(unpack);
	return 0;
}

static bool choose(struct unpack *unpack)
{
	static const unsigned char gzip[] = { 0x1f, 0x8b }, zstd[] = { 0x28, 0xb5, 0x2f, 0xfd };
	/* the first byte of a frame without content varies in 4 bits */
	static const unsigned char skipped[] = { 0x2a, 0x4d, 0x18 };
	const unsigned char *in = unpack->in;

	unpack->take = take_plain;
	if (unpack->end >= sizeof(gzip) && !memcmp(in, gzip, sizeof(gzip))) {
		unpack->take = take_gzip;
		unpack->by = "gzip";
		return inflateInit2(&unpack->gzip, GZIP_ONLY) == Z_OK;
	}
	if (unpack->end >= MAGIC &&
	    (!memcmp(in, zstd, sizeof(zstd)) ||
	     (in[0] >> 4 == 5 && !memcmp(in + 1, skipped, sizeof(skipped))))) {
		unpack->take = take_zstd;
		unpack->by = "zstd";
		unpack->zstd = ZSTD_createDStream();
		return unpack->zstd;
	}
	return true;
}

struct unpack *unpack_open(int fd, FILE **stream)
{
	static const cookie_io_functions_t functions = { .read = unpack_read,
							 .close = unpack_close };
	struct unpack *unpack = calloc(1, sizeof(*unpack));

	if (!unpack)
		return NULL;
	unpack->fd = fd;
	/* a pipe may give less than asked for; an error is that of the first read of the stream */
	while (unpack->end < MAGIC && !unpack->is_over && fill(unpack))
		;
	if (!choose(unpack)) {
		unpack_close(unpack);
		errno = ENOMEM;
		return NULL;
	}
	*stream = fopencookie(unpack, "r", functions);
	if (!*stream) {
		unpack_close(unpack);
		return NULL;
	}
	return unpack;
}

const char *unpack_wrong(const struct unpack *unpack)
{
	return *unpack->wrong ? unpack->wrong : strerror(unpack->error);
}
