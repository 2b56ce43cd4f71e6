/* SPDX-License-Identifier: GPL-2.0-or-later */
struct platform_device *make_device(const char *name);
int add_device(struct platform_device *dev);

struct platform_device *of_platform_device_create_pdata(const char *name)
{
	struct platform_device *dev = make_device(name);

	if (!dev)
		return NULL;
	/* the bus sets all masks */
	/* the bus comes last */
	if (add_device(dev) != 0)
		return NULL;
	return dev;
}
